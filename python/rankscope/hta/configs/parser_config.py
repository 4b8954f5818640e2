"""ParserConfig: which arguments of events become columns of the data frames."""

from __future__ import annotations

import copy
import re
from enum import Enum
from pprint import pprint
from typing import Any, Dict, List, Optional

from .default_values import AttributeSpec, ValueType, YamlVersion
from .event_args import AVAILABLE_ARGS, specs

__all__ = ["AVAILABLE_ARGS", "AttributeSpec", "ParserBackend", "ParserConfig", "ValueType", "YamlVersion"]


class ParserBackend(str, Enum):
    """How HTA reads JSON. The library has one reader of its own."""

    JSON = "json"
    IJSON = "ijson"
    IJSON_BATCHED = "ijson_batched"
    IJSON_BATCH_AND_COMPRESS = "ijson_batch_and_compress"


class ParserConfig:
    """Which arguments become columns: HTA's default ones unless some are named.

    The library has the default columns; others are read from the JSON of the file, which takes as long as in HTA. `stream` and
    `correlation` are always there. Analyses do not depend on it.

    Args:
        args: the arguments.
        settings: HTA's other settings, which are taken and not used: the library reads files in its own way.
    """

    ARGS_MINIMUM = specs("cuda::stream", "correlation::cpu_gpu")
    ARGS_BANDWIDTH = specs("data::bytes", "data::bandwidth")
    ARGS_SYNC = specs("cuda_sync::stream", "cuda_sync::event")
    ARGS_INPUT_SHAPE = specs("cpu_op::input_dims", "cpu_op::input_type", "cpu_op::input_strides")
    ARGS_INFO = specs("info::labels", "info::name", "info::sort_index")
    ARGS_TRITON_KERNELS = specs("cpu_op::kernel_backend", "cpu_op::kernel_hash")
    ARGS_COMMUNICATION = specs(
        "nccl::collective_name",
        "nccl::in_msg_nelems",
        "nccl::out_msg_nelems",
        "nccl::dtype",
        "nccl::group_size",
        "nccl::rank",
        "nccl::in_split_size",
        "nccl::out_split_size",
    )
    ARGS_DEFAULT = [
        *ARGS_MINIMUM,
        *ARGS_BANDWIDTH,
        *ARGS_SYNC,
        *ARGS_INPUT_SHAPE,
        *specs("index::external_id", "index::python_id", "index::python_parent_id"),
        *ARGS_COMMUNICATION,
    ]
    ARGS_COMPLETE = [
        *ARGS_DEFAULT,
        *specs(
            "index::ev_idx",
            "cpu_op::concrete_inputs",
            "cpu_op::fwd_thread",
            "cpu_op::sequence_number",
            "correlation::cbid",
            "cuda::context",
            "cuda::device",
            "kernel::queued",
            "kernel::shared_memory",
            "threads::block",
            "threads::grid",
            "threads::registers",
            "sm::blocks",
            "sm::occupancy",
            "sm::warps",
        ),
    ]

    def __init__(self, args: Optional[List[AttributeSpec]] = None, **settings: Any) -> None:
        self.args: List[AttributeSpec] = list(args or self.ARGS_DEFAULT)
        self.parser_backend: Optional[ParserBackend] = settings.pop("parser_backend", None)
        self.version: YamlVersion = settings.pop("version", YamlVersion(1, 0, 0))
        self.selected_arg_keys: Optional[List[str]] = settings.pop("selected_arg_keys", None)
        self.parse_all_args: bool = settings.pop("parse_all_args", False)
        self.trace_memory = False
        self.min_required_cols: List[str] = ["ts", "dur", "name", "cat", "pid", "tid"]
        self.settings = settings

    @classmethod
    def get_default_cfg(cls) -> "ParserConfig":
        """A copy of the default."""
        return _default.clone()

    @classmethod
    def set_default_cfg(cls, cfg: "ParserConfig") -> None:
        """Makes a configuration the default of what is parsed from now on."""
        global _default  # pylint: disable=global-statement
        _default = cfg.clone()

    @classmethod
    def get_versioned_cfg(cls, version: YamlVersion) -> "ParserConfig":
        """HTA's default for a version of its list of arguments, of which there is one here."""
        return cls(version=version)

    @staticmethod
    def set_global_parser_config_version(version: YamlVersion) -> None:
        """Makes HTA's default for a version the default."""
        ParserConfig.set_default_cfg(ParserConfig(version=version))

    @classmethod
    def get_default_args(cls) -> List[AttributeSpec]:
        """HTA's default arguments."""
        return list(cls.ARGS_DEFAULT)

    @classmethod
    def get_minimum_args(cls) -> List[AttributeSpec]:
        """The arguments that link work with its launch."""
        return list(cls.ARGS_MINIMUM)

    @classmethod
    def get_info_args(cls) -> List[AttributeSpec]:
        """The arguments of metadata events."""
        return list(cls.ARGS_INFO)

    @classmethod
    def get_all_available_args(cls) -> Dict[str, AttributeSpec]:
        """The arguments that have a key."""
        return AVAILABLE_ARGS

    @classmethod
    def show_available_args(cls) -> None:
        """Prints them, as HTA does."""
        pprint(AVAILABLE_ARGS)

    @classmethod
    def enable_communication_args(cls, cfg: Optional["ParserConfig"] = None) -> "ParserConfig":
        """Adds the arguments of collectives to a configuration, or to the default."""
        chosen = cfg or _default
        chosen.add_args(cls.ARGS_COMMUNICATION)
        return chosen

    @classmethod
    def transform_arg_name(cls, arg: str) -> str:
        """The name of a column for an argument: "blocks per SM" is blocks_per_sm."""
        name = re.sub(r"\([^)]*\)", "", arg).lower()
        name = re.sub(r"[ \-/.%_]+", "_", name).strip("_")
        return "arg_name" if name == "name" else name

    @classmethod
    def make_attribute_spec(cls, raw_name: str, value: Any) -> AttributeSpec:
        """A column for an argument, of the type of a value."""
        for kind, default in ((ValueType.Int, 0), (ValueType.Float, 0.0), (ValueType.String, "")):
            if isinstance(value, type(default)):
                return AttributeSpec(cls.transform_arg_name(raw_name), raw_name, kind, default)
        return AttributeSpec(cls.transform_arg_name(raw_name), raw_name, ValueType.Object, None)

    def clone(self) -> "ParserConfig":
        """A copy."""
        return copy.deepcopy(self)

    def get_args(self) -> List[AttributeSpec]:
        """The arguments that become columns."""
        if self.selected_arg_keys is None:
            return self.args
        return [arg for arg in self.args if arg.name in self.selected_arg_keys]

    def set_args(self, args: List[AttributeSpec]) -> None:
        """Makes these arguments columns, and no others."""
        self.args = []
        self.add_args(args)

    def add_args(self, args: List[AttributeSpec]) -> None:
        """Makes these arguments columns, too."""
        there = {arg.name for arg in self.args}
        self.args.extend(arg for arg in args if arg.name not in there)

    def set_args_selector(self, selected_arg_keys: Optional[List[str]] = None) -> "ParserConfig":
        """Of the arguments makes only those with these names columns; None all."""
        self.selected_arg_keys = selected_arg_keys
        return self

    def set_parse_all_args(self, parse_all_args: bool) -> "ParserConfig":
        """Makes all arguments that a file has columns."""
        self.parse_all_args = parse_all_args
        return self

    def set_parser_backend(self, parser_backend: Optional[ParserBackend]) -> None:
        """Taken, and not used."""
        self.parser_backend = parser_backend

    def set_min_required_cols(self, cols: List[str]) -> None:
        """Taken, and not used."""
        self.min_required_cols = list(cols)

    def get_min_required_cols(self) -> List[str]:
        """What set_min_required_cols was given."""
        return self.min_required_cols

    def set_trace_memory(self, trace_memory: bool) -> None:
        """Taken, and not used."""
        self.trace_memory = trace_memory


_default = ParserConfig()
