# The same process, later.
{
    "segments": [
        {
            "device": 0,
            "address": 0x10000000,
            "total_size": 20971520,
            "allocated_size": 5242880,
            "active_size": 5242880,
            "requested_size": 5242880,
            "stream": 0,
            "segment_type": "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": [
                {"address": 0x10000000, "size": 8388608, "requested_size": 0, "state": "inactive", "frames": []},
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
                {
                    "address": 0x10C00000,
                    "size": 1048576,
                    "requested_size": 1048576,
                    "state": "active_allocated",
                    "frames": [
                        {"name": "forward", "filename": "/w/model.py", "line": 10},
                        {"name": "main", "filename": "/w/train.py", "line": 5},
                    ],
                },
                {"address": 0x10D00000, "size": 7340032, "requested_size": 0, "state": "inactive", "frames": []},
            ],
        },
    ],
    "device_traces": [
        [
            {
                "action": "free_requested",
                "addr": 0x10000000,
                "size": 2097000,
                "stream": 0,
                "time_us": 2000,
                "frames": [],
            },
            {
                "action": "free_completed",
                "addr": 0x10000000,
                "size": 2097000,
                "stream": 0,
                "time_us": 2010,
                "frames": [],
            },
            {
                "action": "alloc",
                "addr": 0x10C00000,
                "size": 1048576,
                "stream": 0,
                "time_us": 2020,
                "frames": [
                    {"name": "forward", "filename": "/w/model.py", "line": 10},
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
