(deftemplate item (slot number) (slot name))
(deftemplate mark (slot name))
(deftemplate free (slot number))
(defrule unless-free
  (item (number ?n) (name ?name)) (not (mark (name ?name)))
  =>
  (assert (free (number ?n))))
