; Numbers rise with the order of the items, so they break ties as the canonical order does.
(deftemplate item (slot number) (slot party) (slot score))
(deftemplate winner (slot party) (slot number))
(deftemplate passed_over (slot loser) (slot winner))
(defrule elect-best
  (item (number ?n) (party ?party) (score ?s))
  (not (item (party ?party) (number ?other&~?n) (score ?t&:(or (> ?t ?s) (and (= ?t ?s) (< ?other ?n))))))
  =>
  (assert (winner (party ?party) (number ?n))))
(defrule elect-passed-over
  (winner (party ?party) (number ?n)) (item (party ?party) (number ?other&~?n))
  =>
  (assert (passed_over (loser ?other) (winner ?n))))
