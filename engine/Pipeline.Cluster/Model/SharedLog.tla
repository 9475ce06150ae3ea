------------------------------ MODULE SharedLog ------------------------------
(***************************************************************************)
(* Who leads a database whose write-ahead log is shared, and what of it    *)
(* counts. The log is a sequence that anybody appends to; records land     *)
(* late, twice, out of order or never, and answers get lost.               *)
(*                                                                         *)
(* Step is Automaton.Step, Contiguous is the struct Contiguity, and the    *)
(* leases are those of LeaseClock. The chain is the sequence that it is a  *)
(* hash of. Parts, features, forks and the next log are left out: they     *)
(* are guarded as entries are.                                             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Nodes,          \* the processes; a restarted one counts as another
    Lease,          \* how long a lease is, in ticks
    MaxClaims, MaxEntries, MaxBeats, MaxDuplicates, MaxTime

VARIABLES
    log,            \* the records that landed, in order
    flying,         \* the records that may land: a set of [record, id]
    now,            \* one clock for all; the code adds what clocks may differ by
    node,           \* what each process knows
    acked,          \* the entries that were acknowledged
    left            \* how often each thing may still happen

vars == <<log, flying, now, node, acked, left>>

Vacant == "vacant"
Led == "led"
Over == "handed over"
Nobody == "nobody"

Start == [epoch |-> 0, leader |-> Nobody, next |-> 1, chain |-> <<>>, phase |-> Vacant]

-----------------------------------------------------------------------------
(* The automaton *)

FromLeader(s, r) == s.phase = Led /\ r.epoch = s.epoch /\ r.from = s.leader

Follows(s, r) == FromLeader(s, r) /\ r.transaction = s.next /\ r.chain = s.chain

Accepts(s, r) ==
    CASE r.kind = "claim"    -> r.epoch = s.epoch + 1
      [] r.kind = "beat"     -> FromLeader(s, r)
      [] r.kind = "entry"    -> Follows(s, r)
      [] r.kind = "handover" -> Follows(s, r)

(* A record is told from others by its id, so the chain holds ids. *)
Step(s, r) ==
    IF ~Accepts(s, r) THEN s
    ELSE CASE r.kind = "claim"    -> [s EXCEPT !.epoch = r.epoch, !.leader = r.from, !.phase = Led, !.chain = Append(@, r.id)]
           [] r.kind = "beat"     -> s
           [] r.kind = "entry"    -> [s EXCEPT !.next = @ + 1, !.chain = Append(@, r.id)]
           [] r.kind = "handover" -> [s EXCEPT !.phase = Over, !.chain = Append(@, r.id)]

RECURSIVE After(_)
After(records) ==
    IF records = <<>> THEN Start
    ELSE Step(After(SubSeq(records, 1, Len(records) - 1)), records[Len(records)])

IsAccepted(i) == Accepts(After(SubSeq(log, 1, i - 1)), log[i])

AcceptedEntries == {log[i].id : i \in {j \in 1..Len(log) : log[j].kind = "entry" /\ IsAccepted(j)}}

-----------------------------------------------------------------------------
(* A process *)

Idle == [read |-> 0,            \* how much of the log it has read
         known |-> Start,       \* After(what it has read)
         leads |-> FALSE,       \* it has read its own claim, and none since
         sent |-> Start,        \* the state after all that it sent as leader
         waiting |-> <<>>,      \* what it sent and has no answer to: [id, kind, transaction, at, place]
         contiguous |-> 0,      \* the place that the next answer must name; 0: acknowledgements are frozen
         until |-> -1,          \* the end of its lease
         waits |-> 0,           \* it acknowledges nothing before
         heard |-> 0,           \* when it last read an accepted record of another process, or began
         published |-> 1,       \* readers see the transactions before this one
         certain |-> {}]        \* known to be accepted, not acknowledged yet: [id, transaction]

Init == /\ log = <<>> /\ flying = {} /\ now = 0 /\ acked = {}
        /\ node = [n \in Nodes |-> Idle]
        /\ left = [claims |-> MaxClaims, entries |-> MaxEntries, beats |-> MaxBeats, duplicates |-> MaxDuplicates]

NextId == MaxClaims + MaxEntries + MaxBeats - left.claims - left.entries - left.beats + 1

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
    /\ LET s == node[n].known
       IN Send(n, Record(n, "claim", s, s.epoch + 1), [node[n] EXCEPT !.leads = FALSE, !.contiguous = 0, !.waiting = <<>>])

Propose(n, kind, budget) ==
    /\ left[budget] > 0 /\ node[n].leads /\ node[n].contiguous > 0
    /\ left' = [left EXCEPT ![budget] = @ - 1]
    /\ LET r == Record(n, kind, node[n].sent, node[n].sent.epoch)
       IN Send(n, r, [node[n] EXCEPT !.sent = Step(@, r)])

(* Takes the answers in the order of the sends, as far as they are there. *)
RECURSIVE Take(_)
Take(p) ==
    IF p.waiting = <<>> \/ Head(p.waiting).place = 0 THEN p
    ELSE LET w == Head(p.waiting)
             whole == p.contiguous > 0 /\ w.place = p.contiguous
             rest == [p EXCEPT !.waiting = Tail(@), !.contiguous = IF whole THEN @ + 1 ELSE 0]
         IN IF ~whole THEN Take(rest)
            ELSE Take([rest EXCEPT
                    !.until = IF w.at + Lease > @ THEN w.at + Lease ELSE @,
                    !.published = IF w.kind = "entry" /\ w.transaction >= @ THEN w.transaction + 1 ELSE @,
                    !.certain = IF w.kind = "entry" THEN @ \union {[id |-> w.id, transaction |-> w.transaction]} ELSE @])

Answered(p, id, place) ==
    LET marked == [p EXCEPT !.waiting = [i \in 1..Len(p.waiting) |->
            IF p.waiting[i].id = id /\ p.waiting[i].place = 0 THEN [p.waiting[i] EXCEPT !.place = place] ELSE p.waiting[i]]]
    IN IF p.leads THEN Take(marked) ELSE marked

Land(r, answered, stays) ==
    /\ stays => left.duplicates > 0
    /\ left' = IF stays THEN [left EXCEPT !.duplicates = @ - 1] ELSE left
    /\ log' = Append(log, r)
    /\ flying' = IF stays THEN flying ELSE flying \ {r}
    /\ node' = IF answered THEN [node EXCEPT ![r.from] = Answered(@, r.id, Len(log) + 1)] ELSE node
    /\ UNCHANGED <<now, acked>>

Read(n) ==
    /\ node[n].read < Len(log)
    /\ LET p == node[n]
           r == log[p.read + 1]
           before == p.known
           on == [p EXCEPT !.read = @ + 1, !.known = Step(before, r),
                           !.heard = IF Accepts(before, r) /\ r.from # n THEN now ELSE @]
           nobodyElse == before.phase \in {Vacant, Over} \/ before.leader = n
       IN node' = [node EXCEPT ![n] =
            IF ~Accepts(before, r) THEN on
            ELSE IF r.kind = "claim" /\ r.from = n
            THEN [on EXCEPT !.leads = TRUE, !.contiguous = p.read + 2, !.sent = on.known, !.waiting = <<>>,
                            !.waits = IF nobodyElse \/ @ > p.heard + Lease THEN @ ELSE p.heard + Lease]
            ELSE IF r.kind = "claim" \/ r.kind = "handover"
            THEN [on EXCEPT !.leads = FALSE, !.contiguous = 0, !.waiting = <<>>, !.until = -1]
            ELSE IF r.kind = "entry" /\ r.transaction >= p.published
            THEN [on EXCEPT !.published = r.transaction + 1]
            ELSE on]
    /\ UNCHANGED <<log, flying, now, acked, left>>

(* A leader hands over once its own wait is over, nothing is under way, and it serves no more reads. *)
HandOver(n) ==
    /\ left.beats > 0 /\ node[n].leads /\ node[n].contiguous > 0
    /\ node[n].waiting = <<>> /\ node[n].certain = {} /\ now >= node[n].waits
    /\ left' = [left EXCEPT !.beats = @ - 1]
    /\ LET r == Record(n, "handover", node[n].sent, node[n].sent.epoch)
       IN Send(n, r, [node[n] EXCEPT !.sent = Step(@, r), !.leads = FALSE, !.contiguous = 0, !.until = -1])

Acknowledge(n) ==
    /\ node[n].certain # {} /\ now >= node[n].waits
    /\ acked' = acked \union node[n].certain
    /\ node' = [node EXCEPT ![n].certain = {}]
    /\ UNCHANGED <<log, flying, now, left>>

Tick == /\ now < MaxTime /\ now' = now + 1
        /\ UNCHANGED <<log, flying, node, acked, left>>

Next ==
    \/ Tick
    \/ \E n \in Nodes : Claim(n) \/ Propose(n, "entry", "entries") \/ Propose(n, "beat", "beats")
                        \/ HandOver(n) \/ Read(n) \/ Acknowledge(n)
    \/ \E r \in flying : \E answered, stays \in BOOLEAN : Land(r, answered, stays)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Invariants *)

(* What was acknowledged is in the log and counts. The log only grows, and acceptance depends on what lies before: so it stays. *)
AcknowledgedIsAccepted == \A a \in acked : a.id \in AcceptedEntries

(* At most one accepted entry has a number, and no number is left out. *)
OneEntryATransaction ==
    LET places == {j \in 1..Len(log) : log[j].kind = "entry" /\ IsAccepted(j)}
    IN \A i, j \in places : i < j => log[i].transaction < log[j].transaction

(* One process leads an epoch. *)
OneLeaderAnEpoch ==
    \A i, j \in {k \in 1..Len(log) : log[k].kind = "claim" /\ IsAccepted(k)} : log[i].epoch = log[j].epoch => i = j

(* Readers of any process, indexes and tasks among them, see accepted state only. *)
PublishedIsAccepted == \A n \in Nodes : node[n].published <= After(log).next

(* A snapshot at a leader whose lease holds has every acknowledged write. *)
MayRead(n) == now < node[n].until /\ now >= node[n].waits
LeaseReadsAreCurrent == \A n \in Nodes : MayRead(n) => \A a \in acked : a.transaction < node[n].published

Safe == AcknowledgedIsAccepted /\ OneEntryATransaction /\ OneLeaderAnEpoch /\ PublishedIsAccepted /\ LeaseReadsAreCurrent

=============================================================================
