"""python3 write_post_training.py FOLDER writes small inputs of every format, with the two bytes in front that fuzz_post_training takes.

A simulated post-training run, and what it would write down: veRL's console log, rankscope's record of phases and rollouts. Shares no code with what reads it.

A replica of the generator has slots; a decode step takes floor + slope * active samples and gives each a token. Layouts: colocated (one set of devices, in turns),
turns (devices of their own, in turns), one_off (the next batch is generated while this one is trained on), fully_async (slots are filled again at once; the trainer
takes the first samples that are finished). Generation scales with its replicas, training with its devices. All times are seconds from 0."""

import heapq
import json
import os
import random
import sys


class Run:  # pylint: disable=too-many-instance-attributes
    """Simulated when it is made. `sigma` of the lognormal lengths; `skew`: the share of samples that one replica gets beyond its own; `end_at`: the share of samples
    after which generation ends."""

    def __init__(
        self,
        layout="colocated",
        steps=12,
        samples=256,
        replicas=4,
        slots=32,
        mean=400,
        sigma=0.3,
        most=8000,
        floor=0.010,
        slope=0.0001,
        train=8.0,
        train_gpus=4,
        log_prob=1.0,
        reward=0.1,
        sync=0.2,
        reshard=0.1,
        checkpoint=0.0,
        save_freq=5,
        skew=0.0,
        end_at=1.0,
        staleness=2,
        even=False,
        reward_beside=False,
        seed=1,
    ):
        self.random = random.Random(seed)
        self.layout, self.steps, self.samples = layout, steps, samples
        self.replicas, self.slots, self.mean, self.sigma, self.most = replicas, slots, mean, sigma, most
        self.floor, self.slope = floor, slope
        self.train, self.train_gpus, self.log_prob, self.reward = (
            train * 4 / train_gpus,
            train_gpus,
            log_prob * 4 / train_gpus,
            reward,
        )
        self.sync, self.reshard, self.checkpoint, self.save_freq = sync, reshard, checkpoint, save_freq
        self.skew, self.end_at, self.staleness, self.even, self.reward_beside = (
            skew,
            end_at,
            staleness,
            even,
            reward_beside,
        )
        self.phases, self.rollouts, self.log = [], [], []
        self.lengths = [[self.length() for _ in range(samples)] for _ in range(steps + 2)]
        self.jitter = [self.random.uniform(0.98, 1.02) for _ in range(steps + 2)]
        {"colocated": self.colocated, "turns": self.turns, "one_off": self.one_off, "fully_async": self.fully_async}[
            layout
        ]()

    def length(self):
        value = self.random.lognormvariate(0, self.sigma) * self.mean / pow(2.718281828, self.sigma**2 / 2)
        return max(1, min(self.most, int(value)))

    def routed(self, step):
        """The lengths of each replica's samples."""
        parts = [[] for _ in range(self.replicas)]
        if self.even:  # the replica with the fewest tokens, longest first
            for tokens in sorted(self.lengths[step], reverse=True):
                min(parts, key=sum).append(tokens)
            for part in parts:
                self.random.shuffle(part)
            return parts
        for number, tokens in enumerate(self.lengths[step]):
            favoured = (number * 0.6180339887) % 1 < self.skew
            parts[0 if favoured else number % self.replicas].append(tokens)
        return parts

    def replica(self, lengths, begin):
        """Begin, end and tokens of each sample: the next waiting one takes a slot that becomes free."""
        waiting, active, made, now, out = list(reversed(lengths)), [], 0.0, begin, []
        while waiting or active:
            while waiting and len(active) < self.slots:
                tokens = waiting.pop()
                heapq.heappush(active, (made + tokens, now, tokens))
            until = active[0][0]
            now += (until - made) * (self.floor + self.slope * len(active))
            made = until
            while active and active[0][0] <= made + 1e-9:
                _, started, tokens = heapq.heappop(active)
                out.append((started, now, tokens))
        return out

    def generate(self, step, begin, version):
        """All samples of a step from `begin` on; when generation ends."""
        all_samples = [(name, *one) for name, part in enumerate(self.routed(step)) for one in self.replica(part, begin)]
        end = sorted(one[2] for one in all_samples)[max(0, -int(-self.end_at * len(all_samples) // 1) - 1)]
        for name, started, ended, tokens in all_samples:
            if started < end:
                self.rollouts.append((step, f"r{name}", started, min(ended, end), tokens, version, ended > end))
        return end

    def phase(self, role, step, phase, begin, took):
        if took > 0:
            self.phases.append((role, step, phase, begin, begin + took))
        return begin + took

    def train_step(self, role, step, now, timing):
        def add(phase, name, took):
            timing[name] = took
            return self.phase(role, step, phase, now, took)

        jitter = self.jitter[step]
        now = add("log_prob", "old_log_prob", self.log_prob * jitter)
        now = add("train", "update_actor", self.train * jitter)
        if self.checkpoint and step % self.save_freq == 0:
            now = add("checkpoint", "save_checkpoint", self.checkpoint)
        return now

    def note(self, step, begin, end, timing, extra=None):
        tokens = self.lengths[step]
        ended = [one[3] for one in self.rollouts if one[0] == step]
        if ended:  # veRL's agent loop times a sample from when it was sent
            first = min(one[2] for one in self.rollouts if one[0] == step)
            extra = {
                "timing_s/agent_loop/generate_sequences/mean": sum(ended) / len(ended) - first,
                "timing_s/agent_loop/generate_sequences/max": max(ended) - first,
                **(extra or {}),
            }
        self.log.append((step, {"step": end - begin, **timing}, tokens, extra or {}))

    def colocated(self):
        now = 0.0
        for step in range(1, self.steps + 1):
            begin, timing = now, {"reshard": self.reshard}
            now = self.phase("job", step, "reshard", now, self.reshard)
            start = now
            now = self.generate(step, now, step - 1)
            self.phase("job", step, "generate", start, now - start)
            timing["gen"] = now - begin
            if not self.reward_beside:
                timing["reward"] = self.reward
                now = self.phase("job", step, "reward", now, self.reward)
            now = self.train_step("job", step, now, timing)
            timing["update_weights"] = self.sync
            now = self.phase("job", step, "sync", now, self.sync)
            self.note(step, begin, now, timing)

    def turns(self):
        now = 0.0
        for step in range(1, self.steps + 1):
            begin, timing = now, {}
            now = self.generate(step, now, step - 1)
            self.phase("rollout", step, "generate", begin, now - begin)
            self.phase("trainer", step, "wait", begin, now - begin)
            timing["gen"] = now - begin
            if not self.reward_beside:
                timing["reward"] = self.reward
                now = self.phase("trainer", step, "reward", now, self.reward)
            now = self.train_step("trainer", step, now, timing)
            timing["update_weights"] = self.sync
            self.phase("rollout", step, "sync", now, self.sync)
            now = self.phase("trainer", step, "sync", now, self.sync)
            self.note(step, begin, now, timing)

    def one_off(self):
        started, now = 0.0, 0.0
        ready = self.generate(1, 0.0, 0)  # before the loop
        for step in range(1, self.steps + 1):
            begin, timing = now, {"wait_prev_gen": max(0.0, ready - now), "generate_sequences": ready - started}
            self.phase("rollout", step, "generate", started, ready - started)
            now = self.phase("trainer", step, "wait", now, timing["wait_prev_gen"])
            self.phase("rollout", step, "sync", now, self.sync)
            timing["sync_rollout_weights"] = self.sync
            now = self.phase("trainer", step, "sync", now, self.sync)
            started = now
            ready = self.generate(step + 1, started, step - 1)
            if not self.reward_beside:
                timing["reward"] = self.reward
                now = self.phase("trainer", step, "reward", now, self.reward)
            now = self.train_step("trainer", step, now, timing)
            self.note(step, begin, now, timing)

    def fully_async(self):
        """Samples are finished at the generator's steady pace, unless it is `staleness` batches ahead."""
        pace = self.replica([self.length() for _ in range(8 * self.slots)], 0.0)
        per_batch = max(end for _, end, _ in pace) * self.samples / (8 * self.slots * self.replicas)
        finished, now = [], 0.0  # when a batch is complete
        clock = 0.0
        for step in range(1, self.steps + 1):
            while len(finished) < step - 1 + self.staleness:
                finished.append((clock, clock + per_batch * self.jitter[len(finished) % len(self.jitter)]))
                clock = finished[-1][1]
            made, ready = finished[step - 1]
            begin = now
            now = self.phase("trainer", step, "wait", now, max(0.0, ready - now))
            timing = {"gen": now - begin}
            self.phase("rollout", step, "generate", made, ready - made)
            now = self.train_step("trainer", step, now, timing)
            timing["timing_s/param_sync"] = self.sync
            now = self.phase("trainer", step, "sync", now, self.sync)
            if len(finished) == step - 1 + self.staleness and clock < now:
                clock = now  # paused until these weights came
            active = ready - made
            wall = now - begin
            self.note(
                step,
                begin,
                now,
                timing,
                {
                    "fully_async/rollouter/active_time": min(active, wall),
                    "fully_async/rollouter/version_time": wall,
                    "fully_async/staleness/response_staleness_mean": 1.0,
                },
            )

    def step_time(self):
        """Mean of all steps but the first, which nothing came before."""
        times = [timing["step"] for _, timing, _, _ in self.log[1:]]
        return sum(times) / len(times)

    def log_lines(self, prefix="(TaskRunner pid=4711) "):
        for step, timing, tokens, extra in self.log:
            values = {
                "actor/pg_loss": 0.01,
                "response_length/mean": sum(tokens) / len(tokens),
                "response_length/max": max(tokens),
                "response_length/clip_ratio": sum(one >= self.most for one in tokens) / len(tokens),
                "perf/total_num_tokens": sum(tokens) + 200 * len(tokens),
                **extra,
                **{f"timing_s/{name}": took for name, took in timing.items()},
            }
            yield prefix + f"step:{step} - " + " - ".join(f"{name}:{value}" for name, value in values.items()) + "\n"

    def write_log(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\x1b[36m(TaskRunner pid=4711)\x1b[0m {'trainer': {'logger': ['console']}}\n")
            file.writelines(self.log_lines())

    def record_lines(self, gpus=None):
        for role, step, phase, begin, end in self.phases:
            line = {
                "phase": phase,
                "role": role,
                "step": step,
                "begin_ns": round(begin * 1e9),
                "end_ns": round(end * 1e9),
            }
            if gpus:
                line["gpus"] = gpus[role]
            yield json.dumps(line) + "\n"
        for step, replica, begin, end, tokens, version, cut in self.rollouts:
            yield json.dumps(
                {
                    "rollout": f"{step}.{replica}",
                    "step": step,
                    "replica": replica,
                    "begin_ns": round(begin * 1e9),
                    "end_ns": round(end * 1e9),
                    "prompt_tokens": 200,
                    "response_tokens": tokens,
                    "weight_version": version,
                    "trained_version": step - 1,
                    "cut": cut,
                }
            ) + "\n"

    def write_record(self, path, gpus=None):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(self.record_lines(gpus))


def sequence_lines(sequences, micro_batch, mean, sigma, seed, grouped=False):
    """Sequences of a supervised step; the share of padding."""
    pick = random.Random(seed)
    lengths = [max(8, int(pick.lognormvariate(0, sigma) * mean)) for _ in range(sequences)]
    if grouped:
        lengths.sort()
    lines, padded = [], 0
    for i in range(0, sequences, micro_batch):
        part = lengths[i : i + micro_batch]
        padded += max(part) * len(part)
        lines += [json.dumps({"step": i // 64, "micro_batch": i // micro_batch, "tokens": one}) + "\n" for one in part]
    return lines, 1 - sum(lengths) / padded


def main(folder):
    os.makedirs(folder, exist_ok=True)
    small = {"steps": 3, "samples": 8, "replicas": 2, "slots": 3, "mean": 40}
    seeds = {
        "rows": '{"step":1,"data":{"timing_s/gen":3.5,"timing_s/update_actor":2,"timing_s/step":6}}\n{"step":2,"data":{"timing_s/step":"NaN"}}\n',
        "trl": "{'loss': 0.1, 'step_time': '3.5'}\n{\"profiling/Time taken: GRPOTrainer._prepare_inputs\": 2.0}\n",
        "openrlhf": "Global step 3: {'timing/generation': 3.0, 'timing/ppo_train': np.float64(2.0), 'timing/step_total': 5.5}\n",
        "torchforge": "=== [global_reduce] - METRICS STEP 3 ===\n  main_perf/continuous_training/total_duration_avg_s: 5.0\n"
        "  main_perf/continuous_training/waiting_for_buffer/duration_avg_s: 2.0\n==============\n",
        "history": '{"log_history": [{"step": 1, "step_time": 2.5}, {"step": 2, "step_time": 3.0}]}',
        "sequences": "".join(sequence_lines(8, 4, 100, 1, 1)[0]),
    }
    for layout in ("colocated", "turns", "one_off", "fully_async"):
        run = Run(layout=layout, **small)
        seeds[f"{layout}_log"] = "".join(run.log_lines())
        seeds[f"{layout}_record"] = "".join(run.record_lines())
    for name, text in seeds.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"\0\0" + text.encode())


if __name__ == "__main__":
    main(sys.argv[1])
