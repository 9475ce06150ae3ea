------------------------------ MODULE SharedLog ------------------------------
(***************************************************************************)
(* Who leads a database whose write-ahead log is shared, and what of it    *)
(* counts. The log is a sequence that anybody appends to; records land     *)
(* late, twice, out of order or never, and answers get lost.               *)
(*                                                                         *)
(* Step is Automaton.Step, Take is the struct Contiguity, and the leases   *)
(* are those of LeaseClock. The chain is the sequence that it is a hash    *)
(* of. Parts, features and forks are left out: they are guarded as entries *)
(* are. Which stores go on in the next log is in MoveSearch.               *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Nodes,          \* the processes; a restarted one counts as another
    ByTail,         \* a leader learns of acceptance by reading, not by the places of its appends
    Lease,          \* how long a lease is, in ticks
    MaxClaims, MaxEntries, MaxBeats, MaxDuplicates,
    MaxMoves,       \* how many handovers, ends and beginnings
    MaxTime

VARIABLES
    log,            \* what landed, in order: [record, counts, after]
    flying,         \* the records that may land
    now,            \* one clock for all; the code adds what clocks may differ by
    node,           \* what each process knows
    acked,          \* the entries that were acknowledged
    left            \* how often each thing may still happen

vars == <<log, flying, now, node, acked, left>>

Vacant == "vacant"
Led == "led"
Over == "handed over"
Ended == "ended"
Nobody == "nobody"

Start == [epoch |-> 0, leader |-> Nobody, next |-> 1, chain |-> <<>>, phase |-> Vacant]

-----------------------------------------------------------------------------
(* The automaton *)

FromLeader(s, r) == s.phase = Led /\ r.epoch = s.epoch /\ r.from = s.leader

Follows(s, r) == FromLeader(s, r) /\ r.transaction = s.next /\ r.chain = s.chain

Accepts(s, r) ==
    CASE r.kind = "claim" -> s.phase # Ended /\ r.epoch = s.epoch + 1
      [] r.kind = "beat"  -> FromLeader(s, r)
      [] r.kind = "begin" -> s = Start
      [] OTHER            -> Follows(s, r)

(* A record is told from others by its id, so the chain holds ids. *)
Step(s, r) ==
    LET on == [s EXCEPT !.chain = Append(@, r.id)]
    IN IF ~Accepts(s, r) THEN s
       ELSE CASE r.kind = "claim"    -> [on EXCEPT !.epoch = r.epoch, !.leader = r.from, !.phase = Led]
              [] r.kind = "beat"     -> s
              [] r.kind = "entry"    -> [on EXCEPT !.next = @ + 1]
              [] r.kind = "handover" -> [on EXCEPT !.phase = Over]
              [] r.kind = "end"      -> [on EXCEPT !.phase = Ended]
              [] r.kind = "begin"    -> [on EXCEPT !.epoch = r.epoch, !.next = r.transaction]

(* The state after so many places. Who has read them knows it. *)
After(places) == IF places = 0 THEN Start ELSE log[places].after

Counting(kind) == {i \in 1..Len(log) : log[i].counts /\ log[i].record.kind = kind}

-----------------------------------------------------------------------------
(* A process *)

Idle == [read |-> 0,            \* how much of the log it has read
         leads |-> FALSE,       \* it has read its own claim, and none since
         sent |-> Start,        \* the state after all that it sent as leader
         waiting |-> <<>>,      \* what it sent and has no answer to: [id, kind, transaction, at, place]
         contiguous |-> 0,      \* the place that the next answer must name; 0: none tells anything
         until |-> -1,          \* the end of its lease
         waits |-> 0,           \* it acknowledges nothing before
         heard |-> 0,           \* when it last read an accepted record of another process, or began
         published |-> 1,       \* readers see the transactions before this one
         certain |-> {}]        \* known to be accepted, not acknowledged yet: [id, transaction]

Init == /\ log = <<>> /\ flying = {} /\ now = 0 /\ acked = {}
        /\ node = [n \in Nodes |-> Idle]
        /\ left = [claims |-> MaxClaims, entries |-> MaxEntries, beats |-> MaxBeats,
                   moves |-> MaxMoves, duplicates |-> MaxDuplicates]

NextId == MaxClaims + MaxEntries + MaxBeats + MaxMoves
          - left.claims - left.entries - left.beats - left.moves + 1

Send(n, r, state) ==
    /\ flying' = flying \union {r}
    /\ node' = [node EXCEPT ![n] = [state EXCEPT !.waiting =
            Append(@, [id |-> r.id, kind |-> r.kind, transaction |-> r.transaction, at |-> now, place |-> 0])]]
    /\ UNCHANGED <<log, now, acked>>

Record(n, kind, s, epoch) ==
    [kind |-> kind, epoch |-> epoch, from |-> n, transaction |-> s.next, chain |-> s.chain, id |-> NextId]

(* A process may claim at any time: time-outs decide when it is wise, never whether it is safe. *)
Claim(n) ==
    /\ left.claims > 0
    /\ left' = [left EXCEPT !.claims = @ - 1]
    /\ LET s == After(node[n].read)
       IN Send(n, Record(n, "claim", s, s.epoch + 1),
               [node[n] EXCEPT !.leads = FALSE, !.contiguous = 0, !.waiting = <<>>])

Propose(n, kind, budget) ==
    /\ left[budget] > 0 /\ node[n].leads /\ node[n].contiguous > 0 /\ node[n].sent.phase = Led
    /\ left' = [left EXCEPT ![budget] = @ - 1]
    /\ LET r == Record(n, kind, node[n].sent, node[n].sent.epoch)
       IN Send(n, r, [node[n] EXCEPT !.sent = Step(@, r)])

(* A leader hands over once its own wait is over, nothing is under way, and it serves no more reads. *)
HandOver(n) ==
    /\ left.moves > 0 /\ node[n].leads /\ node[n].contiguous > 0 /\ node[n].sent.phase = Led
    /\ node[n].waiting = <<>> /\ node[n].certain = {} /\ now >= node[n].waits
    /\ left' = [left EXCEPT !.moves = @ - 1]
    /\ LET r == Record(n, "handover", node[n].sent, node[n].sent.epoch)
       IN Send(n, r, [node[n] EXCEPT !.sent = Step(@, r), !.leads = FALSE, !.contiguous = 0, !.until = -1])

(* Somebody begins the log with a store of one transaction, whose last leader had epoch 1. *)
Begin ==
    /\ left.moves > 0
    /\ left' = [left EXCEPT !.moves = @ - 1]
    /\ flying' = flying \union
            {[kind |-> "begin", epoch |-> 1, from |-> Nobody, transaction |-> 2, chain |-> <<>>, id |-> NextId]}
    /\ UNCHANGED <<log, now, node, acked>>

(* A record that this process sent is accepted for certain. *)
Certain(p, w) ==
    [p EXCEPT !.until = IF w.at + Lease > @ THEN w.at + Lease ELSE @,
              !.published = IF w.kind = "entry" /\ w.transaction >= @ THEN w.transaction + 1 ELSE @,
              !.certain = IF w.kind = "entry" THEN @ \union {[id |-> w.id, transaction |-> w.transaction]} ELSE @]

(* Takes the answers in the order of the sends, as far as they are there. *)
RECURSIVE Take(_)
Take(p) ==
    IF p.waiting = <<>> \/ Head(p.waiting).place = 0 THEN p
    ELSE LET w == Head(p.waiting)
             whole == p.contiguous > 0 /\ w.place = p.contiguous
             rest == [p EXCEPT !.waiting = Tail(@), !.contiguous = IF whole THEN @ + 1 ELSE 0]
         IN Take(IF whole THEN Certain(rest, w) ELSE rest)

Answered(p, id, place) ==
    LET marked == [p EXCEPT !.waiting = [i \in 1..Len(p.waiting) |->
            IF p.waiting[i].id = id /\ p.waiting[i].place = 0
            THEN [p.waiting[i] EXCEPT !.place = place] ELSE p.waiting[i]]]
    IN IF p.leads /\ ~ByTail THEN Take(marked) ELSE p

Land(r, answered, stays) ==
    /\ stays => left.duplicates > 0
    /\ left' = IF stays THEN [left EXCEPT !.duplicates = @ - 1] ELSE left
    /\ LET before == After(Len(log))
       IN log' = Append(log, [record |-> r, counts |-> Accepts(before, r), after |-> Step(before, r)])
    /\ flying' = IF stays THEN flying ELSE flying \ {r}
    /\ node' = IF answered /\ r.from \in Nodes THEN [node EXCEPT ![r.from] = Answered(@, r.id, Len(log) + 1)] ELSE node
    /\ UNCHANGED <<now, acked>>

(* By tail, a leader takes what it reads of its own. *)
ReadOwn(p, r) ==
    LET mine == {i \in 1..Len(p.waiting) : p.waiting[i].id = r.id}
    IN IF ~ByTail \/ ~p.leads \/ mine = {} THEN p
       ELSE LET i == CHOOSE i \in mine : TRUE
            IN [Certain(p, p.waiting[i]) EXCEPT !.waiting = SelectSeq(@, LAMBDA w : w.id # r.id)]

Read(n) ==
    /\ node[n].read < Len(log)
    /\ LET p == node[n]
           r == log[p.read + 1].record
           before == After(p.read)
           counts == log[p.read + 1].counts
           own == r.from = n
           on == [p EXCEPT !.read = @ + 1, !.heard = IF counts /\ ~own THEN now ELSE @]
           nobodyElse == before.phase \in {Vacant, Over} \/ before.leader = n
           taken == ReadOwn(on, r)
       IN node' = [node EXCEPT ![n] =
            IF ~counts THEN on
            ELSE IF r.kind = "claim" /\ own
            THEN [on EXCEPT !.leads = TRUE, !.contiguous = p.read + 2, !.sent = log[p.read + 1].after, !.waiting = <<>>,
                            !.waits = IF nobodyElse \/ @ > p.heard + Lease THEN @ ELSE p.heard + Lease]
            ELSE IF r.kind \in {"claim", "handover", "end"}
            THEN [on EXCEPT !.leads = FALSE, !.contiguous = 0, !.waiting = <<>>, !.until = -1]
            ELSE IF r.kind = "begin"
            THEN [on EXCEPT !.published = r.transaction]
            ELSE IF r.kind = "entry" /\ r.transaction >= taken.published
            THEN [taken EXCEPT !.published = r.transaction + 1]
            ELSE taken]
    /\ UNCHANGED <<log, flying, now, acked, left>>

Acknowledge(n) ==
    /\ node[n].certain # {} /\ now >= node[n].waits
    /\ acked' = acked \union node[n].certain
    /\ node' = [node EXCEPT ![n].certain = {}]
    /\ UNCHANGED <<log, flying, now, left>>

Tick == /\ now < MaxTime /\ now' = now + 1
        /\ UNCHANGED <<log, flying, node, acked, left>>

Next ==
    \/ Tick \/ Begin
    \/ \E n \in Nodes : Claim(n) \/ Propose(n, "entry", "entries") \/ Propose(n, "beat", "beats")
                        \/ Propose(n, "end", "moves") \/ HandOver(n) \/ Read(n) \/ Acknowledge(n)
    \/ \E r \in flying : \E answered, stays \in BOOLEAN : Land(r, answered, stays)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Nodes)

-----------------------------------------------------------------------------
(* Invariants *)

(* What was acknowledged is in the log and counts. The log only grows, and what lies before decides: so it stays. *)
AcknowledgedIsAccepted == \A a \in acked : \E i \in Counting("entry") : log[i].record.id = a.id

(* At most one accepted entry has a number, and no number is left out. *)
OneEntryATransaction ==
    \A i \in Counting("entry") :
        /\ log[i].record.transaction = After(i - 1).next
        /\ \A j \in Counting("entry") : i < j => log[i].record.transaction < log[j].record.transaction

(* One process leads an epoch. *)
OneLeaderAnEpoch ==
    \A i, j \in Counting("claim") : log[i].record.epoch = log[j].record.epoch => i = j

(* Nothing counts before a beginning, and nothing behind an end. *)
WholeLog ==
    /\ \A i \in Counting("begin") : \A j \in 1..(i - 1) : ~log[j].counts
    /\ \A i \in Counting("end") : \A j \in (i + 1)..Len(log) : ~log[j].counts

(* Readers of any process, indexes and tasks among them, see accepted state only. *)
PublishedIsAccepted == \A n \in Nodes : node[n].published <= After(Len(log)).next

(* A snapshot at a leader whose lease holds has every acknowledged write. *)
MayRead(n) == now < node[n].until /\ now >= node[n].waits
LeaseReadsAreCurrent == \A n \in Nodes : MayRead(n) => \A a \in acked : a.transaction < node[n].published

=============================================================================
