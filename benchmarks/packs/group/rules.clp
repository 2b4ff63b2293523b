; A component is named after its smallest member; the smaller name spreads over links in both directions.
(deftemplate link (slot left) (slot right))
(deftemplate inside (slot member) (slot component))
(defrule group-left
  (declare (salience 10)) (link (left ?m)) (not (inside (member ?m))) => (assert (inside (member ?m) (component ?m))))
(defrule group-right
  (declare (salience 10)) (link (right ?m)) (not (inside (member ?m))) => (assert (inside (member ?m) (component ?m))))
(defrule group-forwards
  (link (left ?a) (right ?b)) (inside (member ?a) (component ?name)) ?far <- (inside (member ?b) (component ?other&:(< ?name ?other)))
  =>
  (modify ?far (component ?name)))
(defrule group-backwards
  (link (left ?a) (right ?b)) (inside (member ?b) (component ?name)) ?far <- (inside (member ?a) (component ?other&:(< ?name ?other)))
  =>
  (modify ?far (component ?name)))
