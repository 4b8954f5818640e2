namespace cpp rankscope.ranker

exception TooMany { 1: string why }

service Ranker {
  // Sleeps for so long, a part of it with a lock that all calls share. `call` tells calls apart; below 0 it is refused.
  string rank(1: i32 sleep_ms, 2: i32 locked_ms, 3: i32 call) throws (1: TooMany too_many)
  void fail()
  oneway void note(1: i32 sleep_ms)
}
