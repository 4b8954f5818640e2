# What torch.cuda.memory._dump_snapshot writes, as a literal.
{
    "segments": [
        {
            "device": 0,
            "address": 0x10000000,
            "total_size": 20971520,
            "allocated_size": 6291456,
            "active_size": 6291456,
            "requested_size": 6291304,
            "stream": 0,
            "segment_type": "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": [
                {
                    "address": 0x10000000,
                    "size": 2097152,
                    "requested_size": 2097000,
                    "state": "active_allocated",
                    "frames": [
                        {"name": "forward", "filename": "/w/model.py", "line": 11},
                        {"name": "main", "filename": "/w/train.py", "line": 5},
                    ],
                },
                {"address": 0x10200000, "size": 6291456, "requested_size": 0, "state": "inactive", "frames": []},
                {
                    "address": 0x10800000,
                    "size": 4194304,
                    "requested_size": 4194304,
                    "state": "active_allocated",
                    "frames": [
                        {"name": "forward", "filename": "/w/model.py", "line": 10},
                        {"name": "main", "filename": "/w/train.py", "line": 5},
                    ],
                },
                {"address": 0x10C00000, "size": 8388608, "requested_size": 0, "state": "inactive", "frames": []},
            ],
        },
    ],
    "device_traces": [
        [
            {
                "action": "segment_alloc",
                "addr": 0x10000000,
                "size": 20971520,
                "stream": 0,
                "time_us": 1000,
                "frames": [],
            },
            {
                "action": "alloc",
                "addr": 0x10000000,
                "size": 8388608,
                "stream": 0,
                "time_us": 1010,
                "frames": [
                    {"name": "forward", "filename": "/w/model.py", "line": 9},
                    {"name": "main", "filename": "/w/train.py", "line": 5},
                ],
            },
            {
                "action": "alloc",
                "addr": 0x10800000,
                "size": 4194304,
                "stream": 0,
                "time_us": 1020,
                "frames": [
                    {"name": "forward", "filename": "/w/model.py", "line": 10},
                    {"name": "main", "filename": "/w/train.py", "line": 5},
                ],
            },
            {
                "action": "free_requested",
                "addr": 0x10000000,
                "size": 8388608,
                "stream": 0,
                "time_us": 1030,
                "frames": [
                    {"name": "forward", "filename": "/w/model.py", "line": 9},
                    {"name": "main", "filename": "/w/train.py", "line": 5},
                ],
            },
            {
                "action": "free_completed",
                "addr": 0x10000000,
                "size": 8388608,
                "stream": 0,
                "time_us": 1040,
                "frames": [
                    {"name": "forward", "filename": "/w/model.py", "line": 9},
                    {"name": "main", "filename": "/w/train.py", "line": 5},
                ],
            },
            {
                "action": "alloc",
                "addr": 0x10000000,
                "size": 2097000,
                "stream": 0,
                "time_us": 1050,
                "frames": [
                    {"name": "forward", "filename": "/w/model.py", "line": 11},
                    {"name": "main", "filename": "/w/train.py", "line": 5},
                ],
            },
            {
                "action": "oom",
                "device_free": 10485760,
                "size": 16777216,
                "stream": 0,
                "time_us": 1060,
                "frames": [
                    {"name": "forward", "filename": "/w/model.py", "line": 12},
                    {"name": "main", "filename": "/w/train.py", "line": 5},
                ],
            },
        ]
    ],
    "allocator_settings": {
        "PYTORCH_CUDA_ALLOC_CONF": "",
        "max_split_size": -1,
        "garbage_collection_threshold": 0.0,
        "expandable_segments": False,
        "roundup_power2_divisions": {"1": 0},
    },
    "external_annotations": [],
}
