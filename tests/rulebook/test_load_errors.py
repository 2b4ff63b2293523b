"""Why: every fault of a rule is told at its exact place, with what was expected, the choices, the nearest word and the next step."""

from __future__ import annotations

from typing import Any

import pytest

#: (name, parts of the rule with `@@` before the place, piece of the message, attributes of the error).
RULES: list[tuple[str, dict[str, str], str, dict[str, Any]]] = [
    ("unknown kind", {"when": "- @@stack_frme: {as: f}\n- stack_frame: {as: f}"}, "no kind 'stack_frme'", {"nearest": "stack_frame"}),
    (
        "unknown field",
        {"when": "- stack_frame: {as: f, @@fil: x}"},
        "stack_frame has no field 'fil'",
        {"nearest": "file", "choices": "depth"},
    ),
    ("unknown operator", {"when": "- stack_frame: {as: f, file: {@@start: x}}"}, "no operator 'start'", {"nearest": "starts"}),
    ("empty operators", {"when": "- stack_frame: {as: f, file: @@{}}"}, "is empty", {"choices": "matches"}),
    ("list as equality", {"when": "- stack_frame: {as: f, file: @@[a, b]}"}, "cannot equal a list", {"next_step": "`in: [...]`"}),
    ("null as equality", {"when": "- stack_frame: {as: f, file: @@null}"}, "nothing to be compared with", {"next_step": "exists: false"}),
    ("two kinds in one pattern", {"when": "- stack_frame: {as: f}\n  @@signal: {as: s}"}, "one key, not 2", {"next_step": "stack_frame"}),
    ("pattern without tests", {"when": "- stack_frame: {as: f}\n- project_root:@@"}, "must be a mapping, not nothing", {}),
    ("pattern as text", {"when": "- stack_frame: {as: f}\n- @@signal"}, "must be a mapping", {}),
    ("duplicate alias", {"when": "- stack_frame: {as: f}\n- signal: {as: @@f}"}, "the name f is bound already", {}),
    ("reserved alias", {"when": "- stack_frame: {as: f}\n- signal: {as: @@tables}"}, "a name of the language", {}),
    ("bad alias", {"when": "- stack_frame: {as: f}\n- signal: {as: @@1x}"}, "an alias must be a name", {}),
    ("unbound alias", {"when": "- stack_frame: {as: f, signal: @@$g}"}, "nothing is bound to $g", {"choices": None}),
    ("forward join", {"when": "- stack_frame: {as: f, signal: @@$sig}\n- signal: {as: sig}"}, "nothing is bound to $sig", {}),
    ("near alias", {"when": "- stack_frame: {as: frame}", "then": "- helper: {frame: @@$frames}"}, "$frames", {"nearest": "$frame"}),
    ("not a reference", {"when": "- stack_frame: {as: f, file: @@$f.a.b}"}, "is not a reference", {"next_step": "`$$`"}),
    ("text for an int", {"when": "- stack_frame: {as: f, depth: @@x}"}, "stack_frame.depth must be int, not 'x'", {"expected": "int"}),
    ("int for a text", {"when": "- stack_frame: {as: f, file: @@3}"}, "must be text, not 3", {"next_step": "quotes"}),
    ("float for an int", {"when": "- stack_frame: {as: f, depth: @@1.5}"}, "must be int", {}),
    ("bool for an int", {"when": "- stack_frame: {as: f, depth: @@true}"}, "must be int", {}),
    ("int too large", {"when": "- stack_frame: {as: f, depth: @@5000000000000000000}"}, "2**62", {}),
    ("number too large", {"when": "- stack_frame: {as: f, score: @@1.0e15}"}, "smaller than", {}),
    ("infinite number", {"when": "- stack_frame: {as: f, score: @@1.0e999}"}, "finite", {}),
    ("enum member", {"when": "- stack_frame: {as: f, severity: @@eror}"}, "cannot be 'eror'", {"nearest": "error", "choices": "warning"}),
    (
        "constant for a reference",
        {"when": "- stack_frame: {as: f, signal: @@s}"},
        "no constant can stand for a fact",
        {"expected": "$alias"},
    ),
    (
        "reference of another kind",
        {"when": "- signal: {as: s}\n- stack_frame: {as: f}\n- project_root: {id: @@$s}"},
        "nothing in common",
        {},
    ),
    (
        "int against number",
        {"when": "- stack_frame: {as: f}\n- stack_frame: {depth: @@$f.score}"},
        "different types",
        {"expected": "an int"},
    ),
    ("order of texts", {"when": "- stack_frame: {as: f, file: {gt: @@a}}"}, "has no order", {"choices": "eq"}),
    ("order of unordered enum", {"when": "- stack_frame: {as: f, tag: {lt: @@red}}"}, "has no order", {}),
    ("order of references", {"when": "- stack_frame: {as: f, signal: {lt: @@$f}}"}, "has no order", {}),
    ("comparison of lists", {"when": "- stack_frame: {as: f, names: @@x}"}, "is a list", {"choices": "exists"}),
    ("operator on a list", {"when": "- stack_frame: {as: f, names: {@@contains: x}}"}, "is a list", {}),
    ("in without a list", {"when": "- stack_frame: {as: f, file: {in: @@x}}"}, "must be a list", {}),
    ("in with nothing", {"when": "- stack_frame: {as: f, file: {in: @@[]}}"}, "empty list", {}),
    ("in on a bool", {"when": "- stack_frame: {as: f, library: {@@in: [true]}}"}, "cannot be tested by `in`", {}),
    ("member of in", {"when": "- stack_frame: {as: f, tag: {in: [red, @@bleu]}}"}, "cannot be 'bleu'", {"nearest": "blue"}),
    ("exists on a sure field", {"when": "- stack_frame: {as: f, file: {@@exists: true}}"}, "is always there", {}),
    ("exists with a text", {"when": "- stack_frame: {as: f, line: {exists: @@yes}}"}, "true or false", {"choices": "true"}),
    ("text test on an int", {"when": "- stack_frame: {as: f, depth: {@@starts: x}}"}, "`starts` tests texts", {}),
    ("text test with a number", {"when": "- stack_frame: {as: f, file: {starts: @@3}}"}, "needs a text", {"next_step": "quotes"}),
    ("text test with nothing", {"when": "- stack_frame: {as: f, file: {contains: @@''}}"}, "true of every text", {}),
    ("look-around", {"when": "- stack_frame: {as: f, file: {matches: @@'(?=x)'}}"}, "invalid perl operator", {"expected": "RE2"}),
    ("back-reference", {"when": "- stack_frame: {as: f, file: {matches: @@'(a)\\1'}}"}, "invalid escape", {"expected": "RE2"}),
    ("open bracket", {"when": "- stack_frame: {as: f, file: {matches: @@'[a'}}"}, "missing ]", {}),
    ("exploding pattern", {"when": "- stack_frame: {as: f, file: {matches: @@'(\\pL{30}){30}'}}"}, "too large", {"expected": "bounded"}),
    ("exploding repetition", {"when": "- stack_frame: {as: f, file: {matches: @@'((a{90}){90}){90}'}}"}, "repetition", {}),
    ("huge pattern", {"when": f"- stack_frame: {{as: f, file: {{matches: @@'{'x' * 20_001}'}}}}"}, "more than 20000", {}),
    ("unknown table", {"when": "- stack_frame: {as: f, score: {gte: @@$tables.similr}}"}, "no table entry", {"nearest": "similar"}),
    ("table of another type", {"when": "- stack_frame: {as: f, depth: {gte: @@$tables.similar}}"}, "must be int", {}),
    ("empty when", {"when": "@@[]"}, "`when` is empty", {}),
    ("any with nothing", {"when": "- stack_frame: {as: f}\n- any: @@[]"}, "`any` is empty", {}),
    ("any without lists", {"when": "- stack_frame: {as: f}\n- any: [@@{signal: {}}]"}, "must be a list", {}),
    (
        "name of one alternative",
        {"when": "- stack_frame: {as: f}\n- any: [[{signal: {as: s}}], [{project_root: {}}]]", "says": "@@'{s.number}'"},
        "in some alternatives of `any` only",
        {},
    ),
    (
        "name of two kinds",
        {"when": "- stack_frame: {as: f}\n- any: [[{signal: {as: s}}], [{project_root: {as: s}}]]", "says": "@@'{s}'"},
        "bound to signal in one alternative of `any` and to project_root in another",
        {},
    ),
    (
        "too many alternatives",
        {
            "when": "- stack_frame: {as: f}\n"
            + "- any: [[{signal: {}}], [{project_root: {}}], [{signal: {}}]]\n" * 3
            + "- @@any: [[{signal: {}}], [{signal: {}}], [{signal: {}}]]"
        },
        "more than 64 alternatives",
        {},
    ),
    ("too many patterns", {"when": "@@- stack_frame: {as: f}\n" + "- signal: {}\n" * 14}, "has 15 patterns", {"expected": "at most 14"}),
    ("any under unless", {"unless": "- @@any: [[{signal: {}}]]"}, "`any` cannot stand here", {}),
    ("alias under unless", {"unless": "- signal: {as: @@s}"}, "nothing else could refer to it", {"next_step": "remove"}),
    ("let as alias", {"let": "@@f: 1"}, "the name f is bound already", {}),
    ("let reserved", {"let": "@@number: 1"}, "a name of the language", {}),
    ("let under when", {"let": "x: 1", "unless": "- signal: {number: @@$x}"}, "nothing is bound to $x", {}),
    ("unknown function", {"let": "x: {@@ad: [1, 2]}"}, "no function 'ad'", {"nearest": "add"}),
    ("internal function", {"let": "x: {@@mul_number: [1, 2]}"}, "no function", {}),
    ("two functions", {"let": "x: @@{add: [1, 2], sub: [1, 2]}"}, "one function, not 2", {}),
    ("too few arguments", {"let": "x: {sub: @@[1]}"}, "takes 2 arguments, not 1", {}),
    ("text in arithmetic", {"let": "x: {add: [@@$f.file, 1]}"}, "computes with numbers", {}),
    ("round without constant", {"let": "x: {round: [$f.score, @@$f.depth]}"}, "constant from 0 to 6", {}),
    ("round of an int", {"let": "x: {round: [@@$f.depth, 1]}"}, "rounds numbers", {}),
    ("lower of an int", {"let": "x: {lower: @@$f.depth}"}, "takes texts", {}),
    ("default of two types", {"let": "x: {default: [$f.file, @@$f.depth]}"}, "two of one type", {}),
    ("default outside the enum", {"let": "x: {default: [$f.tag, @@green]}"}, "cannot be 'green'", {"choices": "blue"}),
    ("missing of", {"let": "x: {@@sum: {stack_frame: {}}}"}, "needs `of`", {"choices": "depth"}),
    ("sum over texts", {"let": "x: {sum: {stack_frame: {}}, of: @@file}"}, "cannot be taken over", {}),
    ("collect over ints", {"let": "x: {collect: {stack_frame: {}}, of: @@depth}"}, "cannot be taken over", {}),
    ("of of count", {"let": "x: {count: {stack_frame: {}}, @@of: depth}"}, "has no key 'of'", {"choices": "distinct"}),
    ("distinct of no field", {"let": "x: {count: {stack_frame: {}}, distinct: [@@fil]}"}, "no field 'fil'", {"nearest": "file"}),
    ("field of a let", {"let": "x: 1\ny: {add: [@@$x.a, 1]}"}, "has no field 'a'", {}),
    ("unknown condition", {"if_": "- @@equal: [1, 1]"}, "no condition 'equal'", {"choices": "gte"}),
    ("one side", {"if_": "- eq: @@[1]"}, "two expressions, not 1", {}),
    ("condition of two types", {"if_": "- eq: [$f.file, @@$f.depth]"}, "different types", {}),
    ("condition with a wrong constant", {"if_": "- eq: [$f.depth, @@x]"}, "must be int", {}),
    ("condition of lists", {"if_": "- eq: [$f.names, @@x]"}, "lists cannot be compared", {}),
    ("order of enums under if", {"if_": "- gt: [@@$f.severity, note]"}, "compares ints and numbers", {"next_step": "`when`"}),
    ("in without list under if", {"if_": "- in: [$f.file, @@$f.file]"}, "a list of constants or of texts", {}),
    ("unknown head kind", {"then": "- @@helpr: {frame: $f}"}, "no kind 'helpr'", {"nearest": "helper"}),
    ("unknown head field", {"then": "- helper: {frame: $f, @@fram: $f}"}, "no field 'fram'", {"nearest": "frame"}),
    ("missing head field", {"then": "- @@good: {frame: $f}"}, "good needs depth", {"next_step": "add `depth: ...`"}),
    (
        "head of another type",
        {"then": "- good: {frame: $f, depth: @@$f.file}"},
        "cannot be written to good.depth: it is a text",
        {"expected": "int"},
    ),
    ("int into a number", {"then": "- good: {frame: $f, depth: 1, score: @@$f.depth}"}, "it is an int", {"next_step": "0.0"}),
    ("reference into a text", {"then": "- good: {frame: $f, depth: 1, label: @@$f}"}, "it is a reference", {"next_step": "format"}),
    ("wrong reference", {"then": "- helper: {frame: @@$f.signal}"}, "a reference to signal", {"expected": "stack_frame"}),
    ("text into an enum", {"then": "- good: {frame: $f, depth: 1, severity: @@$f.file}"}, "it is a text", {}),
    ("member into an enum", {"then": "- good: {frame: $f, depth: 1, severity: @@warn}"}, "cannot be 'warn'", {"nearest": "warning"}),
    ("enum with more members", {"then": "- good: {frame: $f, depth: 1, severity: @@$f.tag}"}, "may be red", {}),
    ("null in a head", {"then": "- good: {frame: $f, depth: 1, label: @@null}"}, "a value is missing", {}),
    ("engine kind in a head", {"then": "- @@tied: {by: r, first: $f, second: $f}"}, "only the engine asserts tied", {}),
    ("empty then", {"then": "@@[]"}, "`then` is empty", {}),
    ("seq in a head", {"then": "- good: {frame: $f, depth: 1, @@seq: 1}"}, "no field 'seq'", {}),
    ("placeholder", {"says": "@@'{g.file}'"}, "nothing is bound to $g", {}),
    ("placeholder field", {"says": "@@'{f.fil}'"}, "no field 'fil'", {"nearest": "file"}),
    ("lone brace", {"says": "@@'{f.file'"}, "a lone `{`", {"next_step": "`{{`"}),
    ("lone closing brace", {"says": "@@'a } b'"}, "a lone `}`", {"next_step": "`}}`"}),
    ("format placeholder", {"let": "x: {format: @@'{nothing}'}"}, "nothing is bound to $nothing", {}),
    ("unknown status", {"status": "@@stabel"}, "`status` cannot be", {"nearest": "stable"}),
    ("sealed as text", {"sealed": "@@yes"}, "true or false", {}),
    ("refs as text", {"refs": "@@x"}, "must be a list", {}),
]


@pytest.mark.parametrize(("parts", "message", "more"), [case[1:] for case in RULES], ids=[case[0] for case in RULES])
def test_fault_in_a_rule(bench: Any, one_rule: Any, parts: dict[str, str], message: str, more: dict[str, Any]) -> None:
    error, place = bench.only_error(one_rule(**parts))
    assert message in error.message
    assert error.place == place
    for name, value in more.items():
        found = getattr(error, name)
        assert not found if value is None else value in found, (name, found)


#: Whole files.
FILES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("unknown section", "stage: main\n@@rule: []\n", "no key 'rule'", {"nearest": "rules"}),
    (
        "no stage",
        "@@rules:\n  - {id: r, when: [{signal: {as: s}}], then: [{row: {name: a, value: 1}}]}\n",
        "names no stage",
        {"choices": "main"},
    ),
    ("unknown stage", "stage: @@mian\nrules: []\n", "no stage 'mian'", {"nearest": "main"}),
    ("no list of rules", "stage: main\nrules: @@{}\n", "`rules` must be a list", {}),
    ("rule as text", "stage: main\nrules:\n  - @@x\n", "must be a mapping", {}),
    ("no id", "stage: main\nrules:\n  - @@when: []\n", "a rule needs `id`", {}),
    ("bad id", "stage: main\nrules:\n  - id: @@a..b\n", "must be an id", {}),
    ("no when", "stage: main\nrules:\n  - @@id: r\n    then: []\n", "a rule needs `when`", {}),
    (
        "unknown key",
        "stage: main\nrules:\n  - {id: r, when: [{signal: {}}], @@than: 1, then: [{row: {name: a, value: 1}}]}\n",
        "no key 'than'",
        {"nearest": "then"},
    ),
    ("list of documents", "@@- a\n", "is not a mapping", {}),
    ("row of unknown kind", "facts:\n  - @@rwo: {name: a, value: 1}\n", "no kind 'rwo'", {"nearest": "row"}),
    ("row without field", "facts:\n  - @@row: {name: a}\n", "row needs value", {"choices": "value"}),
    ("row of wrong type", "facts:\n  - row: {name: a, value: @@x}\n", "must be number", {}),
    ("row with reference", "facts:\n  - row: {name: @@$f, value: 1}\n", "a constant must stand here", {"next_step": "$$"}),
    ("row as verdict", "facts:\n  - @@judged: {frame: x}\n", "only rules may assert it", {}),
    ("row of the engine", "facts:\n  - @@tied: {by: x}\n", "engine", {}),
    (
        "rows that differ",
        "facts:\n  - row: {name: a, value: 1}\n  - @@row: {name: a, value: 2}\n",
        "says something else at",
        {"next_step": "rival"},
    ),
    ("pattern over ints", "stage: main\npatterns:\n  - {id: p, over: {stack_frame: @@depth}, regex: x}\n", "is no text", {}),
    (
        "pattern over two",
        "stage: main\npatterns:\n  - {id: p, over: {stack_frame: file, @@signal: message}, regex: x}\n",
        "one key, not 2",
        {},
    ),
    (
        "bad expression",
        "stage: main\npatterns:\n  - {id: p, over: {stack_frame: file}, regex: @@'(?<!x)y'}\n",
        "invalid",
        {"expected": "RE2"},
    ),
    (
        "says of a pattern",
        "stage: main\npatterns:\n  - {id: p, over: {stack_frame: file}, regex: x, says: @@'{f.file}'}\n",
        "$f",
        {"choices": "$match"},
    ),
    (
        "unknown measure",
        "stage: main\nmeasures:\n  - {id: m, function: @@distanc, from: [{signal: {}}], output: row, options: {least: 1}}\n",
        "no measure",
        {"nearest": "distance"},
    ),
    (
        "measure that judges",
        "stage: main\nmeasures:\n  - {id: m, function: distance, from: [{signal: {}}], output: @@judged, options: {least: 1}}\n",
        "never judges",
        {},
    ),
    (
        "unknown option",
        "stage: main\nmeasures:\n  - {id: m, function: distance, from: [{signal: {}}], output: row, options: {least: 1, @@mod: fast}}\n",
        "no option 'mod'",
        {"nearest": "mode"},
    ),
    (
        "missing option",
        "stage: main\nmeasures:\n  - @@id: m\n    function: distance\n    from: [{signal: {}}]\n    output: row\n",
        "needs the option least",
        {},
    ),
    (
        "option of wrong type",
        "stage: main\nmeasures:\n  - {id: m, function: distance, from: [{signal: {}}], output: row, options: {least: @@x}}\n",
        "must be number",
        {},
    ),
    (
        "order not total",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], by: [@@{asc: $f.depth}], into: {helper: {frame: $f}}}\n",
        "not total",
        {"next_step": "$f.seq"},
    ),
    (
        "no order",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], by: @@[], into: {helper: {frame: $f}}}\n",
        "not total",
        {},
    ),
    (
        "unordered key",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], by: [{asc: @@$f.tag}, {asc: $f.seq}], into: {helper: {frame: $f}}}\n",
        "has no order",
        {"next_step": "ordered"},
    ),
    (
        "unknown direction",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], by: [{@@up: $f.seq}], into: {helper: {frame: $f}}}\n",
        "cannot be the text 'up'",
        {"choices": "asc"},
    ),
    (
        "constant as key",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], by: [{asc: @@x}], into: {helper: {frame: $f}}}\n",
        "a field of a bound fact",
        {},
    ),
    (
        "groups by list",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], per: [@@$f.names], by: [{asc: $f.seq}], into: {helper: {frame: $f}}}\n",
        "cannot make groups",
        {},
    ),
    (
        "any in a source",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}, {@@any: []}], by: [{asc: $f.seq}], into: {helper: {frame: $f}}}\n",
        "`any` cannot stand here",
        {},
    ),
    (
        "keep nothing",
        "stage: main\ntake:\n  - {id: t, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], keep: @@0, into: {helper: {frame: $f}}}\n",
        "an int from 1",
        {},
    ),
    (
        "number in an election",
        "stage: main\nelect:\n  - {id: e, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], into: {good: {frame: $f, depth: @@$number}}}\n",
        "$number",
        {},
    ),
    (
        "nearest without apart",
        "stage: main\ntake:\n  - {id: t, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], into: {helper: {frame: $f}}, rest: {helper: {frame: @@$nearest}}}\n",
        "$nearest",
        {},
    ),
    (
        "apart with one field",
        "stage: main\ntake:\n  - {id: t, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], apart: {pair: @@[left]}, into: {helper: {frame: $f}}}\n",
        "two fields",
        {"choices": "right"},
    ),
    (
        "apart of another kind",
        "stage: main\ntake:\n  - {id: t, from: [{stack_frame: {as: f}}], by: [{asc: $f.id}], apart: {pair: [left, @@far]}, into: {helper: {frame: $f}}}\n",
        "does not refer to stack_frame",
        {},
    ),
    (
        "pair of one",
        "stage: main\ngroup:\n  - {id: g, from: [{pair: {as: p}}], pair: @@[$p.left], member: {helper: {frame: $member}}}\n",
        "two values, not 1",
        {},
    ),
    (
        "pair of two types",
        "stage: main\ngroup:\n  - {id: g, from: [{stack_frame: {as: p}}], pair: [$p.file, @@$p.depth], into: {row: {name: $group, value: 1}}}\n",
        "must have one type",
        {"next_step": "members"},
    ),
    (
        "group without facts",
        "stage: main\ngroup:\n  - @@id: g\n    from: [{pair: {as: p}}]\n    pair: [$p.left, $p.right]\n",
        "asserts nothing",
        {},
    ),
    (
        "members elsewhere",
        "stage: main\ngroup:\n  - {id: g, from: [{pair: {as: p}}], pair: [$p.left, $p.right], members: @@signal, into: {row: {name: $group, value: 1}}}\n",
        "no side of `pair` refers to signal",
        {},
    ),
    (
        "member in into",
        "stage: main\ngroup:\n  - {id: g, from: [{pair: {as: p}}], pair: [$p.left, $p.right], into: {helper: {frame: @@$member}}}\n",
        "$member",
        {},
    ),
]


@pytest.mark.parametrize(("text", "message", "more"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_fault_in_a_file(bench: Any, text: str, message: str, more: dict[str, Any]) -> None:
    error, place = bench.only_error(text)
    assert message in error.message
    assert error.place == place
    for name, value in more.items():
        assert value in getattr(error, name), (name, getattr(error, name))


def test_all_faults_of_all_files_are_told_in_order(bench: Any) -> None:
    wrong = "stage: main\nrules:\n  - {id: %s, when: [{stack_frame: {as: f, fil: x, dept: 1}}], then: [{helper: {fram: $f}}]}\n"
    errors = bench.check(bench.pack({"b.yaml": wrong % "b", "a.yaml": wrong % "a", "deep/c.yaml": "stage: nowhere\n"}))
    told = [(error.place.file.removeprefix(str(bench.root)), error.place.line, error.message) for error in errors]
    assert told == [
        ("/p/a.yaml", 3, "stack_frame has no field 'fil'"),
        ("/p/a.yaml", 3, "stack_frame has no field 'dept'"),
        ("/p/a.yaml", 3, "helper has no field 'fram'"),
        ("/p/b.yaml", 3, "stack_frame has no field 'fil'"),
        ("/p/b.yaml", 3, "stack_frame has no field 'dept'"),
        ("/p/b.yaml", 3, "helper has no field 'fram'"),
        ("/p/deep/c.yaml", 1, "there is no stage 'nowhere'"),
    ]


def test_what_follows_from_a_fault_is_not_told(bench: Any, one_rule: Any) -> None:
    text = one_rule(
        when="- stack_frme: {as: f}\n- signal: {as: s, id: $f.signal}",
        let="x: {add: [$f.depth, 1]}\ny: {mul: [$x, 2]}",
        if_="- gt: [$y, 3]",
        then="- good: {frame: $f, depth: $y}",
        says="'{f.file} {y}'",
    )
    errors = bench.check(bench.pack({"rules.yaml": text}))
    assert [error.message for error in errors] == ["there is no kind 'stack_frme'"]
