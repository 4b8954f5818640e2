"""The lab's programs: what is wrong with each, and what rankscope may call it.

programs/NAME/mistake/train.py is an ordinary program with one mistake, programs/NAME/twin/train.py the same without it. Neither knows of
rankscope; both take their number of steps as the only argument.
"""


class Program:
    """findings: ids that name the mistake. needs: "" or "cuda". ranks: how many processes (0: one, without torch.distributed).

    steps: how many are timed; recorded: how many are recorded; warmup: how many are neither.
    """

    def __init__(self, name, mistake, findings, needs="", ranks=0, steps=40, recorded=6, warmup=8):
        self.name = name
        self.mistake = mistake
        self.findings = findings
        self.needs = needs
        self.ranks = ranks
        self.steps = steps
        self.recorded = recorded
        self.warmup = warmup


PROGRAMS = [
    Program("loader_in_main", "samples are prepared by the process that trains", ["data-starvation"]),
    Program("per_parameter_optimizer", "the optimizer goes through parameters one by one", ["unfused-optimizer"]),
    Program(
        "uneven_ranks",
        "one rank has the long sequences",
        ["sequence-imbalance", "uneven-work", "data-straggler"],
        ranks=4,
    ),
    Program("slow_rank", "the first rank writes a record in each step", ["rank-host-work", "slow-host"], ranks=4),
    Program("small_buckets", "gradients are reduced in buckets of 30 kB", ["small-collectives"], ranks=2),
    Program("no_sync", "gradients are reduced in each of four batches", ["grad-sync-repeated"], ranks=2),
    Program("gc_pauses", "the garbage collector goes through a corpus of objects", ["gc-pause"], recorded=10),
    Program("checkpoint_in_loop", "every third step saves a checkpoint", ["checkpoint-stall"], steps=30, recorded=9),
    Program("logging_each_step", "each step logs each gradient", ["host-sync", "host-work", "copies-to-host"]),
    Program(
        "blocking_copies", "batches are copied from pageable memory, and waited for", ["pageable-copy"], needs="cuda"
    ),
    Program("item_per_step", "loss and accuracy are read in each step", ["host-sync"], needs="cuda", steps=200),
    Program("no_autocast", "single precision without tensor cores", ["no-tensor-cores"], needs="cuda"),
    Program("unfused_attention", "attention written out", ["unfused-attention"], needs="cuda"),
    Program("unfused_elementwise", "activation and norm written as formulas", ["unfused-elementwise"], needs="cuda"),
    Program(
        "recompilation",
        "a model is compiled for each length",
        ["recompilation"],
        needs="cuda",
        steps=20,
        recorded=8,
        warmup=5,
    ),
    Program("allocator_thrash", "the allocator's cache is emptied in each step", ["allocator-thrash"], needs="cuda"),
    Program("graph_leak", "losses are kept with their graphs", ["memory-leak"], needs="cuda"),
    Program("backward_per_loss", "a backward pass for each of four losses", ["repeated-backward"], needs="cuda"),
]
