"""What is asked of the hooks."""


class Settings:
    """out: folder; record: bool; warmup, steps: numbers of steps (steps 0: all); stop: end the process behind them."""

    def __init__(self, out, record=False, warmup=5, steps=0, stop=False):
        self.out = out
        self.record = record
        self.warmup = warmup
        self.steps = steps
        self.stop = stop
        self.tree = None  # a Tree, where somebody wants to know

    @classmethod
    def of(cls, environment):
        def number(name, default):
            text = environment.get("RANKSCOPE_HOOKS_" + name, "")
            if text and not text.isdigit():
                raise ValueError("RANKSCOPE_HOOKS_%s is %r; a number is needed" % (name, text))
            return int(text) if text else default

        return cls(
            environment["RANKSCOPE_HOOKS_OUT"],
            record=environment.get("RANKSCOPE_HOOKS_RECORD") == "1",
            warmup=number("WARMUP", 5),
            steps=number("STEPS", 0),
            stop=environment.get("RANKSCOPE_HOOKS_STOP") == "1",
        )
