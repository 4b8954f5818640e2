"""The arguments of Kineto's events that HTA knows, by its keys."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from .default_values import AttributeSpec, ValueType

_INT, _FLOAT, _STRING, _OBJECT = ValueType.Int, ValueType.Float, ValueType.String, ValueType.Object

# Key, column, argument in the file, type, what stands where an event has none.
_ROWS: List[Tuple[str, str, str, ValueType, Any]] = [
    ("index::ev_idx", "ev_idx", "Ev Idx", _INT, -1),
    ("index::external_id", "external_id", "External id", _INT, -1),
    ("index::python_id", "python_id", "Python id", _INT, -1),
    ("index::python_parent_id", "python_parent_id", "Python parent id", _INT, -1),
    ("cpu_op::concrete_inputs", "concrete_inputs", "Concrete Inputs", _OBJECT, "[]"),
    ("cpu_op::fwd_thread", "fwd_thread_id", "Fwd thread id", _INT, -1),
    ("cpu_op::input_dims", "input_dims", "Input Dims", _OBJECT, "-1"),
    ("cpu_op::input_type", "input_type", "Input type", _OBJECT, "-1"),
    ("cpu_op::input_strides", "input_strides", "Input Strides", _OBJECT, "-1"),
    ("cpu_op::sequence_number", "sequence", "Sequence number", _INT, -1),
    ("cpu_op::kernel_backend", "kernel_backend", "kernel_backend", _STRING, ""),
    ("cpu_op::kernel_hash", "kernel_hash", "kernel_hash", _STRING, ""),
    ("correlation::cbid", "cbid", "cbid", _INT, -1),
    ("correlation::cpu_gpu", "correlation", "correlation", _INT, -1),
    ("sm::blocks", "blocks_per_sm", "blocks per SM", _OBJECT, "[]"),
    ("sm::occupancy", "est_occupancy", "est. achieved occupancy %", _INT, -1),
    ("sm::warps", "warps_per_sm", "warps per SM", _FLOAT, 0.0),
    ("data::bytes", "bytes", "bytes", _INT, -1),
    ("data::bandwidth", "memory_bw_gbps", "memory bandwidth (GB/s)", _FLOAT, 0.0),
    ("cuda::context", "context", "context", _INT, -1),
    ("cuda::device", "device", "device", _INT, -1),
    ("cuda::stream", "stream", "stream", _INT, -1),
    ("kernel::queued", "queued", "queued", _INT, -1),
    ("kernel::shared_memory", "shared_memory", "shared memory", _INT, -1),
    ("threads::block", "block", "block", _OBJECT, "[]"),
    ("threads::grid", "grid", "grid", _OBJECT, "[]"),
    ("threads::registers", "registers_per_thread", "registers per thread", _INT, -1),
    ("cuda_sync::stream", "wait_on_stream", "wait_on_stream", _INT, -1),
    ("cuda_sync::event", "wait_on_cuda_event_record_corr_id", "wait_on_cuda_event_record_corr_id", _INT, -1),
    ("info::labels", "labels", "labels", _STRING, ""),
    ("info::name", "name", "name", _INT, -1),
    ("info::op_count", "op_count", "Op count", _INT, -1),
    ("info::sort_index", "sort_index", "sort_index", _INT, -1),
    ("nccl::collective_name", "collective_name", "Collective name", _STRING, ""),
    ("nccl::in_msg_nelems", "in_msg_nelems", "In msg nelems", _INT, 0),
    ("nccl::out_msg_nelems", "out_msg_nelems", "Out msg nelems", _INT, 0),
    ("nccl::group_size", "group_size", "Group size", _INT, 0),
    ("nccl::dtype", "msg_dtype", "dtype", _STRING, ""),
    ("nccl::in_split_size", "in_split_size", "In split size", _OBJECT, "[]"),
    ("nccl::out_split_size", "out_split_size", "Out split size", _OBJECT, "[]"),
    ("nccl::process_group_name", "process_group_name", "Process Group Name", _STRING, ""),
    ("nccl::process_group_desc", "process_group_desc", "Process Group Description", _STRING, ""),
    ("nccl::process_group_ranks", "process_group_ranks", "Process Group Ranks", _OBJECT, "[]"),
    ("nccl::rank", "process_rank", "Rank", _INT, -1),
    ("memory::total_reserved", "total_reserved", "Total Reserved", _INT, -1),
    ("memory::total_allocated", "total_allocated", "Total Allocated", _INT, -1),
    ("memory::bytes", "bytes_delta", "Bytes", _INT, 0),
    ("memory::addr", "addr", "Addr", _INT, 0),
    ("memory::device_id", "device_id", "Device Id", _INT, 0),
    ("memory::device_type", "device_type", "Device Type", _INT, 0),
    ("inference::batch_size", "batch_size", "batchSize", _INT, -1),
    ("inference::batch_id", "batch_id", "batchId", _STRING, ""),
]

AVAILABLE_ARGS: Dict[str, AttributeSpec] = {key: AttributeSpec(*spec) for key, *spec in _ROWS}


def specs(*keys: str) -> List[AttributeSpec]:
    """The arguments of some keys."""
    return [AVAILABLE_ARGS[key] for key in keys]
