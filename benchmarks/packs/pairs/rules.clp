(deftemplate item (slot number) (slot name))
(deftemplate pair (slot first) (slot second))
(defrule pairs-pair
  (item (number ?a) (name ?name)) (item (number ?b&~?a) (name ?name))
  =>
  (assert (pair (first ?a) (second ?b))))
