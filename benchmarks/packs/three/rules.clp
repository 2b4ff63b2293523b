(deftemplate call (slot number) (slot function))
(deftemplate place (slot function) (slot file))
(deftemplate owner (slot file) (slot team))
(deftemplate duty (slot call) (slot team))
(defrule three-duty
  (call (number ?n) (function ?function)) (place (function ?function) (file ?file)) (owner (file ?file) (team ?team))
  =>
  (assert (duty (call ?n) (team ?team))))
