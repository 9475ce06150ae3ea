namespace Pipeline.Cluster;

internal sealed partial class ClusterNode
{
    /// <summary>Results that may not be returned yet, in the order of the calls.</summary>
    private readonly Queue<Pending> _pending = new();

    /// <summary>Records sent since the claim that are not known to be accepted.</summary>
    private readonly Queue<Sent> _sent = new();

    /// <summary>Records that count as accepted because of their places, and were not read yet.</summary>
    private readonly Queue<(long Place, Chain Record)> _unread = new();

    private Contiguity _contiguity;
    private LeaseClock _lease;
    private AutomatonState _afterSent;
    private TimeSpan _claimedAt,
        _beatAt;
    private long _prepared,
        _sentBefore,
        _appends,
        _claim,
        _beats;
    private (RecordKind Kind, string Name)? _stepDown;
    private (long Append, object Token)? _confirms;
    private bool _handsOver,
        _isOvertaken;
    private int _format;

    /// <summary>The number of the next transaction, if the node accepts one now.</summary>
    public bool TryPrepare(out long transaction)
    {
        transaction = _prepared;
        return Role == NodeRole.Leading && _stepDown is null;
    }

    /// <summary>
    /// Sends a transaction that was prepared on top of all earlier ones. Its result is returned once the log has
    /// accepted it.
    /// </summary>
    /// <exception cref="ArgumentException">The transaction is too large.</exception>
    public void Propose(object token, ReadOnlyMemory<byte> payload, TimeSpan now)
    {
        _now = now;
        if (payload.Length > _options.MaxTransactionBytes)
        {
            throw new ArgumentException(
                $"The transaction has {payload.Length} bytes; a replicated one has at most {_options.MaxTransactionBytes}.",
                nameof(payload)
            );
        }

        _pending.Enqueue(new Pending(token, _prepared++, payload));
        Send();
    }

    /// <summary>
    /// Returns a result without changes, such as an error, once all transactions prepared before it are accepted and
    /// the lease was checked.
    /// </summary>
    /// <param name="token">Identifies the result to the host.</param>
    /// <param name="now">
    /// The time, read after the result was computed. The process may have been paused since the last call, so its lease
    /// may have expired.
    /// </param>
    public void Query(object token, TimeSpan now)
    {
        _now = now;
        _pending.Enqueue(new Pending(token, _prepared - 1, null));
        Release();
    }

    /// <summary>
    /// Asks the log to confirm that this node leads, by a beat that is appended now. Once the beat is accepted, and
    /// before any other call, published state contains every write that was acknowledged before this call. This trusts
    /// no lease. One confirmation at a time.
    /// </summary>
    /// <param name="token">
    /// Acknowledged to the host when the beat is accepted; refused if the node does not lead, or may no longer lead.
    /// </param>
    /// <param name="now">The time.</param>
    public void Confirm(object token, TimeSpan now)
    {
        _now = now;
        // An old lease may still serve reads. They must not be older than what this confirmation shows.
        if (!TryPrepare(out _) || _confirms is not null || !_lease.MayAcknowledge(now))
        {
            _host.Refuse(token, NodeRefusal.NotAccepted);
            return;
        }
        Append(LogRecord.BeatOf(_afterSent, _beats++, _options.Address));
        _beatAt = now;
        _confirms = (_appends, token);
    }

    /// <summary>Whether this leader is stepping down, and accepts no transactions.</summary>
    public bool HandsOver => _stepDown is not null;

    /// <summary>Steps down: accepts no more transactions, and hands over once all are accepted.</summary>
    public void HandOver(string successor) => StepDown(RecordKind.Handover, successor);

    /// <summary>
    /// Ends the log: accepts no more transactions, and writes the end once all are accepted. No node leads after it.
    /// </summary>
    /// <param name="next">The name of the log that continues.</param>
    public void EndLog(string next) => StepDown(RecordKind.NextLog, next);

    /// <summary>
    /// Makes the log use a format from here on, if this node leads and the log does not use it yet. All nodes must know
    /// the format; a node that does not know it stops there.
    /// </summary>
    public void UseFormat(int format) => _format = Role == NodeRole.Leading ? Math.Min(format, _options.Format) : 0;

    /// <summary>Takes the answer to an append. A late or repeated answer changes nothing.</summary>
    public void Answered(long id, AppendAnswer answer, TimeSpan now)
    {
        _now = now;
        if (Role == NodeRole.Claiming && id == _claim && answer.Outcome == AppendOutcome.Moved)
        {
            // The claim is not in the log. The unread records before its place decide how to continue.
            (_isOvertaken, _isCaughtUp) = (true, false);
            return;
        }
        foreach (var sent in _sent)
        {
            if (sent.Id == id)
                sent.Answer ??= answer;
        }
        if (_options.ByTail)
        {
            if (_sent.Any(s => s.Answer is { Outcome: not AppendOutcome.At }))
                Claim();
            return;
        }
        while (Role == NodeRole.Leading && _sent.TryPeek(out var first) && first.Answer is { } known)
        {
            _sent.Dequeue();
            if (!_contiguity.Take(known))
            {
                // After a gap, an error or an unknown place, a new claim settles all earlier records once it is read.
                Claim();
                break;
            }
            if (known.Place >= Place)
            {
                _unread.Enqueue((known.Place, first.Hash));
            }
            else if (!first.IsRead)
            {
                // The place was read before its answer arrived, and it holds another record.
                Halt(NodeStop.LogLied);
                return;
            }
            CountAsAccepted(first, new ReadPosition(known.Place + 1, first.After, first.Hash, LeaderName));
        }
        Send();
        Release();
    }

    private void TickAsLeader()
    {
        if (_sent.TryPeek(out var oldest) && _now - oldest.At >= _options.AppendTimeout)
        {
            Claim();
        }
        else if (_stepDown is { } stepDown)
        {
            TryStepDown(stepDown.Kind, stepDown.Name);
        }
        else if (_format > _afterSent.Format && _sent.Count < _options.Window)
        {
            Append(LogRecord.Feature(_afterSent, _format));
        }
        else if (_now - _beatAt >= _options.BeatEvery)
        {
            _beatAt = _now;
            Append(LogRecord.BeatOf(_afterSent, _beats++, _options.Address));
        }
    }

    private void StepDown(RecordKind kind, string name) => _stepDown = Role == NodeRole.Leading ? (kind, name) : null;

    private void TryStepDown(RecordKind kind, string name)
    {
        if (_handsOver || _pending.Count > 0 || _sent.Count > 0 || !_lease.MayAcknowledge(_now))
            return;
        // The successor may begin at once, so no lease may outlive this record.
        _handsOver = true;
        _lease.GiveUp();
        Append(
            kind == RecordKind.Handover ? LogRecord.Handover(_afterSent, name) : LogRecord.NextLog(_afterSent, name)
        );
    }

    private void Claim()
    {
        (Role, _claimedAt, _isOvertaken) = (NodeRole.Claiming, _now, false);
        _contiguity.Break();
        ForgetSent();
        _claim = ++_appends;
        _host.Append(_claim, LogRecord.Claim(_known, _options.Start, _options.Name), _end);
    }

    /// <summary>
    /// The log was read further after another record overtook one of this node. A leader claims at once, even if it was
    /// claiming already. A follower whose claim was refused has heard from others, and keeps following.
    /// </summary>
    private void ContinueWhenOvertaken()
    {
        if (Role == NodeRole.Leading || (Role == NodeRole.Claiming && _known.Leader == _options.Start))
            Claim();
        else if (Role == NodeRole.Claiming)
            (Role, _isOvertaken) = (NodeRole.Following, false);
    }

    /// <summary>
    /// This node's claim was read, so all records before it are settled. Those not accepted by now never will be, and
    /// are sent again.
    /// </summary>
    private void Lead(in AutomatonState before)
    {
        _lease.Claimed(_heardAt, before, _options.Start);
        Role = NodeRole.Leading;
        _contiguity.Begin(Place);
        ForgetSent();
        (_afterSent, _stepDown, _handsOver, _isOvertaken) = (_known, null, false, false);
        _beatAt = _now - _options.BeatEvery;
        _sentBefore = _published;
        _prepared = _published + _pending.Count(p => p.Payload is not null && p.Transaction >= _published);
    }

    private void Depose()
    {
        _format = 0;
        Undo(NodeRefusal.NotAccepted);
        Role = NodeRole.Following;
    }

    private void Undo(NodeRefusal reason)
    {
        _lease.GiveUp();
        _contiguity.Break();
        ForgetSent();
        _handsOver = false;
        _host.Drop(reason);
        // A published transaction waits for an old lease to expire, perhaps for ever.
        while (_pending.TryDequeue(out var pending))
        {
            _host.Refuse(
                pending.Token,
                pending.Payload is not null && pending.Transaction < _published ? NodeRefusal.Unknown : reason
            );
        }
    }

    private void Send()
    {
        // A record sent after the handover would be ignored, although its place looks right.
        if (Role != NodeRole.Leading || _handsOver || _sent.Count >= _options.Window)
            return;
        foreach (var pending in _pending)
        {
            if (pending.Payload is not { } payload || pending.Transaction < _sentBefore)
                continue;
            if (_sent.Count >= _options.Window)
                return;
            var max = _options.MaxRecordBytes - LogRecord.HeaderBytes;
            for (var at = 0; at == 0 || at < payload.Length; at += max)
            {
                Append(
                    LogRecord.Entry(
                        _afterSent,
                        payload.Span.Slice(at, Math.Min(max, payload.Length - at)),
                        at + max >= payload.Length
                    )
                );
            }

            _sentBefore = pending.Transaction + 1;
        }
    }

    private void Append(LogRecord record)
    {
        Automaton.Step(_afterSent, record, out _afterSent);
        var expected = _contiguity.Next + _sent.Count;
        _sent.Enqueue(new Sent(++_appends, record, _now, _afterSent, default(Chain).Append(record.Bytes.Span)));
        _host.Append(_appends, record, expected);
    }

    /// <summary>A record of this node was read, so it is now known to be accepted.</summary>
    private void TakeOwn(in LogRecord record)
    {
        var sent = FindSent();
        if (sent is not null)
        {
            sent.IsRead = true;
            _lease.Renew(sent.At);
        }
        if (record.Kind == RecordKind.Entry && record.IsLastPart)
            PublishOwn(record.Transaction, Here);
        if (sent is not null)
            TakeConfirmed(sent);
        while (_options.ByTail && _sent.TryPeek(out var first) && first.IsRead)
            _sent.Dequeue();
    }

    private void TakeConfirmed(Sent sent)
    {
        if (_confirms is not { } confirms || confirms.Append != sent.Id)
            return;
        _confirms = null;
        _host.Acknowledge(confirms.Token);
    }

    private void ForgetSent()
    {
        _sent.Clear();
        if (_confirms is not { } confirms)
            return;
        _confirms = null;
        _host.Refuse(confirms.Token, NodeRefusal.Unknown);
    }

    /// <summary>
    /// A record was read that is not accepted. If it is this leader's and was not read before, another of its records
    /// was lost or is late, so none of the following ones will be accepted. Waiting for the timeout would only lose
    /// time.
    /// </summary>
    private void NoteRejected() => _isOvertaken |= FindSent() is { IsRead: false };

    private Sent? FindSent()
    {
        foreach (var sent in _sent)
        {
            if (sent.Hash == _lastRead)
                return sent;
        }
        return null;
    }

    private void CountAsAccepted(Sent sent, in ReadPosition position)
    {
        _lease.Renew(sent.At);
        if (sent.Record.Kind == RecordKind.Entry && sent.Record.IsLastPart)
            PublishOwn(sent.Record.Transaction, position);
        TakeConfirmed(sent);
    }

    private void PublishOwn(long transaction, in ReadPosition position)
    {
        if (transaction < _published)
            return;
        _published = transaction + 1;
        _host.Publish(transaction, position);
    }

    /// <summary>Whether the record at a place is the one that an answer named, and is accepted.</summary>
    private bool MatchesAnswer(long place, bool accepted)
    {
        if (!_unread.TryPeek(out var expected) || expected.Place > place)
            return true;
        _unread.Dequeue();
        return accepted && expected == (place, _lastRead);
    }

    private void Release()
    {
        while (
            _pending.TryPeek(out var first)
            && first.Transaction < _published
            && (first.Payload is null ? HoldsLease(_now) : _lease.MayAcknowledge(_now))
        )
        {
            _host.Acknowledge(_pending.Dequeue().Token);
        }
    }

    private sealed record Pending(object Token, long Transaction, ReadOnlyMemory<byte>? Payload);

    private sealed record Sent(long Id, LogRecord Record, TimeSpan At, AutomatonState After, Chain Hash)
    {
        public AppendAnswer? Answer { get; set; }

        /// <summary>Whether it was read from the log and accepted.</summary>
        public bool IsRead { get; set; }
    }
}
