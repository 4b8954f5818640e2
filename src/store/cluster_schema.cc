#include "store/cluster_schema.h"

#include "postgres/migrate.h"

namespace rankscope::store {
namespace {

// Records are large and seldom read: they are put beside the table, so that lists read short rows.
// Rows of work change all the time and in no column that an index has while they are leased, so
// that their changes stay on their pages.
constexpr const char* kStep1 = R"(
CREATE TABLE rankscope.run (
  id text COLLATE "C" PRIMARY KEY,
  key text COLLATE "C" UNIQUE,
  version bigint NOT NULL,
  created_s bigint NOT NULL,
  changed_s bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  small_name text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  product text COLLATE "C" NOT NULL,
  framework text COLLATE "C" NOT NULL,
  hardware text COLLATE "C" NOT NULL,
  tags text[] NOT NULL,
  words text COLLATE "C" NOT NULL,
  record text NOT NULL
) WITH (toast_tuple_target = 512);
CREATE INDEX run_created ON rankscope.run (created_s, id);
CREATE INDEX run_changed ON rankscope.run (changed_s, id);
CREATE INDEX run_name ON rankscope.run (small_name, id);
CREATE INDEX run_state ON rankscope.run (state, id);
CREATE INDEX run_team ON rankscope.run (team, created_s, id);
CREATE INDEX run_tags ON rankscope.run USING gin (tags);
CREATE TABLE rankscope.work (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run text COLLATE "C" NOT NULL UNIQUE,
  team text COLLATE "C" NOT NULL,
  priority int NOT NULL DEFAULT 0,
  generation bigint NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased')),
  not_before timestamptz NOT NULL DEFAULT now(),
  since timestamptz NOT NULL DEFAULT now(),
  attempt bigint NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  lost int NOT NULL DEFAULT 0,
  lost_alone int NOT NULL DEFAULT 0,
  is_alone boolean NOT NULL DEFAULT false,
  reason text NOT NULL DEFAULT '',
  worker text NOT NULL DEFAULT '',
  lease_until timestamptz,
  progress double precision NOT NULL DEFAULT 0
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50);
CREATE INDEX work_ready ON rankscope.work (team, priority, id) WHERE state = 'ready';
CREATE INDEX work_leased ON rankscope.work (id) WHERE state = 'leased';
CREATE TABLE rankscope.history (
  work bigint PRIMARY KEY,
  run text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  worker text NOT NULL,
  attempt bigint NOT NULL,
  outcome text NOT NULL,
  ended timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX history_ended ON rankscope.history (ended);
CREATE INDEX history_run ON rankscope.history (run);
CREATE TABLE rankscope.event (
  number bigint PRIMARY KEY,
  made timestamptz NOT NULL DEFAULT now(),
  kind text NOT NULL,
  team text NOT NULL,
  run text NOT NULL,
  data text NOT NULL
);
CREATE TABLE rankscope.cluster (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  began_ms bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  folder text NOT NULL DEFAULT '',
  last_event bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  attempts_failed bigint NOT NULL DEFAULT 0,
  set_aside bigint NOT NULL DEFAULT 0,
  busy_ms bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
INSERT INTO rankscope.cluster DEFAULT VALUES;
CREATE TABLE rankscope.session (
  hash text COLLATE "C" PRIMARY KEY,
  ends timestamptz NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  team text NOT NULL
);
CREATE TABLE rankscope.share (
  name text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C",
  token text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  used_s bigint NOT NULL,
  content text NOT NULL
);
CREATE INDEX share_token ON rankscope.share (token);
CREATE INDEX share_team ON rankscope.share (team);
CREATE TABLE rankscope.gain (
  name text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL,
  content text NOT NULL
);
CREATE INDEX gain_team ON rankscope.gain (team);
)";

// People who sign in at a provider.
constexpr const char* kStep2 = R"(
ALTER TABLE rankscope.session ADD COLUMN source text NOT NULL DEFAULT '';
CREATE TABLE rankscope.sign_in (
  state text COLLATE "C" PRIMARY KEY,
  ends timestamptz NOT NULL,
  peer text COLLATE "C" NOT NULL,
  browser text NOT NULL,
  nonce text NOT NULL,
  verifier text NOT NULL,
  redirect text NOT NULL,
  page text NOT NULL,
  began_s bigint NOT NULL
);
CREATE INDEX sign_in_peer ON rankscope.sign_in (peer, ends);
CREATE INDEX sign_in_ends ON rankscope.sign_in (ends);
)";

// Who did what: lines as they are hashed, and the last one.
constexpr const char* kStep3 = R"(
CREATE TABLE rankscope.audit (
  number bigint PRIMARY KEY,
  line text NOT NULL
);
CREATE TABLE rankscope.audit_head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  number bigint NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT ''
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
INSERT INTO rankscope.audit_head DEFAULT VALUES;
)";

// Runs in shards: a row for each, beside that of the run (shard -1), which waits for them. `bytes`
// of text are those of its files, and of a run that was divided those of all.
constexpr const char* kStep4 = R"(
ALTER TABLE rankscope.work
  ADD COLUMN shard int NOT NULL DEFAULT -1,
  ADD COLUMN first_file int NOT NULL DEFAULT 0,
  ADD COLUMN behind_file int NOT NULL DEFAULT 0,
  ADD COLUMN bytes bigint NOT NULL DEFAULT 0,
  DROP CONSTRAINT work_state_check,
  ADD CONSTRAINT work_state_check CHECK (state IN ('ready', 'leased', 'waiting')),
  DROP CONSTRAINT work_run_key,
  ADD CONSTRAINT work_run_shard_key UNIQUE (run, shard);
ALTER TABLE rankscope.history ADD COLUMN shard int NOT NULL DEFAULT -1;
)";

// Workers that live, and those that failed a unit, once for each time.
constexpr const char* kStep5 = R"(
ALTER TABLE rankscope.work ADD COLUMN failed_by text[] NOT NULL DEFAULT '{}';
CREATE TABLE rankscope.worker (
  name text COLLATE "C" PRIMARY KEY,
  seen timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
)";

// When a unit of a team was last taken: numbers of a sequence, since a clock may stand still.
constexpr const char* kStep6 = R"(
CREATE SEQUENCE rankscope.turn;
CREATE TABLE rankscope.team (
  name text COLLATE "C" PRIMARY KEY,
  served bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
)";

// What units cost, by which the cost of those that wait is estimated. Bytes are those of a unit's
// files as stored; null: unknown, of an earlier version.
constexpr const char* kStep7 = R"(
ALTER TABLE rankscope.work ADD COLUMN input_bytes bigint;
ALTER TABLE rankscope.history
  ADD COLUMN kind text NOT NULL DEFAULT '',
  ADD COLUMN input_bytes bigint,
  ADD COLUMN cpu_ms bigint;
)";

constexpr postgres::MigrationStep kSteps[] = {{kStep1}, {kStep2}, {kStep3}, {kStep4},
                                              {kStep5}, {kStep6}, {kStep7}};

}  // namespace

Status MigrateCluster(postgres::Database& database) {
  return postgres::Migrate(database, "rankscope", kSteps);
}

// The row of the cluster stays locked until the transaction ends, so numbers have no gaps and are
// seen in their order.
Status AddEvent(postgres::Transaction& transaction, const char* kind, const std::string& team,
                const std::string& run, const std::string& data) {
  return transaction
      .Do("WITH next AS (UPDATE rankscope.cluster SET last_event = last_event + 1 "
          "RETURNING last_event), "
          "told AS (INSERT INTO rankscope.event (number, kind, team, run, data) "
          "SELECT last_event, $1, $2, $3, $4 FROM next RETURNING number) "
          "SELECT pg_notify('rankscope_event', '') FROM told",
          {kind, team, run, data})
      .status();
}

}  // namespace rankscope::store
