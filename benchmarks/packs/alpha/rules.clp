(deftemplate item (slot number) (slot text) (slot bucket))
(deftemplate hit (slot number))
(defrule alpha-hit (item (number ?n) (bucket 3)) => (assert (hit (number ?n))))
