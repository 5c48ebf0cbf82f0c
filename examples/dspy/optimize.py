"""Lets DSPy's MIPROv2 look for a better prompt and writes what it found back: the command of this spec's proposer.

It runs in a folder with `request.json` and the prompt. It knows the selection cases alone; whether the prompt really
got better is measured afterwards, by ceopt, on cases that were never in this folder.
"""

import json
import os
from pathlib import Path

import dspy
from dspy.utils.callback import BaseCallback

ENDPOINT = {"api_base": os.environ["OPENAI_BASE_URL"], "api_key": os.environ["OPENAI_API_KEY"], "cache": False}
CANDIDATES, TRIALS = 4, 6  # prompts DSPy writes; how often it measures one of them on all cases


class AsItIsRun(dspy.ChatAdapter):
    """Sends the prompt as ceopt does, alone as the system message; DSPy's own questions keep their form."""

    def format(self, signature, demos, inputs):
        if "mail" not in inputs:
            return super().format(signature, demos, inputs)
        return [{"role": "system", "content": signature.instructions}, {"role": "user", "content": inputs["mail"]}]

    def parse(self, signature, completion):
        return {"date": completion} if "date" in signature.output_fields else super().parse(signature, completion)


class Calls(BaseCallback):
    """Counts the calls of all models: what DSPy's own copies of them send is in no history at hand."""

    made = 0

    def on_lm_start(self, call_id, instance, inputs):
        self.made += 1


def score(example, prediction, trace=None) -> float:
    """The metric: all of the answer and nothing else; the right date among other words is a part of the way."""
    given = prediction.date.strip()
    return 1.0 if given == example.date else 0.3 if example.date in given else 0.0


def main() -> None:
    request = json.loads(Path("request.json").read_text())
    ((path, text),) = request["texts"].items()
    cases = [dspy.Example(mail=case["input"], date=case["expected"]).with_inputs("mail") for case in request["cases"]]
    task = dspy.LM(os.environ["CEOPT_MODEL_CHEAP"], temperature=0, max_tokens=160, **ENDPOINT)
    strong = dspy.LM(os.environ["CEOPT_MODEL_STRONG"], temperature=1.0, max_tokens=2000, **ENDPOINT)
    calls = Calls()
    dspy.configure(lm=task, adapter=AsItIsRun(), callbacks=[calls])
    optimizer = dspy.MIPROv2(
        metric=score,
        prompt_model=strong,
        task_model=task,
        auto=None,
        num_candidates=CANDIDATES,
        max_bootstrapped_demos=0,
        max_labeled_demos=0,  # a prompt with cases in it would be refused: it quotes what it is measured on
        num_threads=4,
        seed=request["seed"],
    )
    found = optimizer.compile(
        dspy.Predict(dspy.Signature("mail -> date", text)),
        trainset=cases,
        valset=cases,
        num_trials=TRIALS,
        minibatch=False,
        program_aware_proposer=False,
    )
    best = found.signature.instructions
    if best.strip() != text.strip():  # what is left as it is counts as nothing found
        Path(path).write_text(best.strip() + "\n")
    note = f"MIPROv2: the best of {CANDIDATES} prompts on {len(cases)} selection cases"
    print(json.dumps({"note": note, "calls": calls.made}))  # no "usd": what a call costs is not known here


if __name__ == "__main__":
    main()
