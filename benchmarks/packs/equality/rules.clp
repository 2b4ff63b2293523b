(deftemplate left (slot number) (slot name))
(deftemplate right (slot number) (slot name))
(deftemplate joined (slot left) (slot right))
(defrule equality-joined
  (left (number ?l) (name ?name)) (right (number ?r) (name ?name))
  =>
  (assert (joined (left ?l) (right ?r))))
