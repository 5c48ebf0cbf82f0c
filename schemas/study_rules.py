"""Rules between the keys and files of a study. Each gives the key it speaks of and one sentence; none reads a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemas.spec_rule import Broken, unique
from schemas.study import OFFLINE, BoundTarget, Hypotheses, Study, StudyJudge, text_kind
from schemas.study_cases import JUDGE_SCORERS, Answer, FindingsAnswer, ProseAnswer, RouteAnswer, StudyCase

EVERY_CASE = "score"


def broken_study_rules(study: Study) -> Iterator[Broken]:
    """What does not hold within study.yaml."""
    if study.matrix is not None and study.targets:
        yield Broken(("matrix",), "stands beside `targets`; give the one or the other")
    if study.matrix is None and not study.targets:
        yield Broken(("targets",), "names no target; give at least one, or a `matrix`")
    where = ("matrix",) if study.matrix is not None else ("targets",)
    yield from unique("target", [target.id for target in study.bound_targets], where)
    yield from unique("file of cases", study.cases, ("cases",))
    for number, target in enumerate(study.targets):
        yield from _program_faults(target, ("targets", number))
    if study.matrix is not None and "command" in study.matrix.harnesses:
        yield Broken(("matrix", "harnesses"), "cannot hold `command`, which needs a command: write it among `targets`")
    kinds = sorted({text_kind(path) for path in study.texts.values()})
    if len(kinds) > 1:
        yield Broken(("texts",), f"are of different kinds ({', '.join(kinds)}): arms may differ in their text alone")
    if study.judge is not None:
        yield from _judge_faults(study.judge, study)
    families: dict[str, str] = {}
    for target in study.bound_targets:
        if target.harness not in OFFLINE and families.setdefault(target.model, target.family) != target.family:
            yield Broken(where, f"call the model {target.model} of two families; it can only speak for one")


def _judge_faults(judge: StudyJudge, study: Study) -> Iterator[Broken]:
    """A judge that is a tested model, or of its kin, likes what it would have written itself."""
    for target in study.bound_targets:
        if target.model == judge.model:
            yield Broken(("judge", "model"), f"is the tested model of the target `{target.id}`; name another")
        elif target.family.casefold() == judge.family.casefold():
            yield Broken(("judge", "family"), f"is that of the target `{target.id}`; name a model of another family")


def _program_faults(target: BoundTarget, where: tuple[str | int, ...]) -> Iterator[Broken]:
    if target.harness == "command" and not target.command:
        yield Broken(where, "is of the harness `command` and has no `command`; write the program and its arguments")
    if target.harness == "command":
        if target.script is not None and ".." in target.script.split("/"):
            yield Broken((*where, "command"), f"leads out of the study's folder: `{target.command[0]}`")
        return
    for key, value in (("command", target.command), ("variables", target.variables)):
        if value:
            yield Broken((*where, key), f"is for the harness `command` alone, and this is `{target.harness}`")


def broken_hypothesis_rules(study: Study, registered: Hypotheses, cases: Sequence[StudyCase]) -> Iterator[Broken]:
    """What of the hypotheses does not hold for this study and its cases."""
    unknown = sorted(study.weights.keys() - {case.scorer for case in cases})
    if unknown:
        yield Broken(("hypotheses",), f"stand beside `weights` in study.yaml for a scorer of no case: {unknown[0]}")
    ids = [hypothesis.id for hypothesis in registered.hypotheses]
    yield from unique("hypothesis", ids, ("hypotheses",))
    scorers = sorted({case.scorer for case in cases})
    for number, hypothesis in enumerate(registered.hypotheses):
        at = ("hypotheses", number)
        for key, name in (("treatment", hypothesis.treatment), ("control", hypothesis.control)):
            if name is not None and name not in study.texts:
                yield Broken((*at, key), f"is no text of the study: `{name}`; known are {', '.join(study.texts)}")
        if hypothesis.treatment == hypothesis.control:
            yield Broken((*at, "control"), "is the treatment itself")
        if hypothesis.metric not in (EVERY_CASE, *scorers):
            known = ", ".join((EVERY_CASE, *scorers))
            yield Broken((*at, "metric"), f"is measured by no case: `{hypothesis.metric}`; known are {known}")
        judged = {case.scorer for case in cases if hypothesis.metric in (EVERY_CASE, case.scorer)} & JUDGE_SCORERS
        if hypothesis.mechanical == bool(judged):
            what = f"is scored by a model ({', '.join(sorted(judged))})" if judged else "is scored by rule"
            yield Broken((*at, "mechanical"), f"must be {str(not judged).lower()}: `{hypothesis.metric}` {what}")


def broken_case_answers(cases: Sequence[StudyCase]) -> Iterator[Broken]:
    """Answers that no reply could give."""
    for number, case in enumerate(cases):
        for key, message in _answer_faults(case.answer):
            yield Broken(("cases", number, "answer", key), message)


def _answer_faults(answer: Answer) -> Iterator[tuple[str, str]]:
    if isinstance(answer, RouteAnswer):
        if answer.value not in answer.labels:
            yield "value", f"is none of the labels: `{answer.value}`"
        if len({label.casefold() for label in answer.labels}) < len(answer.labels):
            yield "labels", "hold a label twice"
    if isinstance(answer, ProseAnswer):
        if len({words.casefold() for words in answer.planted}) < len(answer.planted):
            yield "planted", "hold one thing twice"
        strange = [words for words in answer.tokens if words not in answer.planted]
        if strange:
            yield "tokens", f"stand for nothing that is planted: `{strange[0]}`"
    if isinstance(answer, FindingsAnswer):
        unknown = [code for code in answer.planted if code not in answer.codes]
        if unknown:
            yield "planted", f"is none of the codes: `{unknown[0]}`"
        for key, codes in (("planted", answer.planted), ("codes", answer.codes)):
            if len({code.casefold() for code in codes}) < len(codes):
                yield key, "hold a code twice"
