namespace Pipeline.Cluster;

/// <summary>
/// A node's state machine without I/O. Its input is the time, the records read and the answers to appends; its output
/// is calls of its host. It is deterministic: the same input leads to the same output. Not thread-safe.
/// </summary>
internal sealed partial class ClusterNode
{
    private readonly NodeOptions _options;
    private readonly INodeHost _host;
    private readonly Random _random;
    private readonly List<ReadOnlyMemory<byte>> _parts = [];

    /// <summary>
    /// Another process with this node's name, whose claim landed after this process started. It may be this node's
    /// previous process, whose claim was late. If it then writes as a leader, it has read its claim, so it is running
    /// alongside this one.
    /// </summary>
    private Guid? _namesake;

    private AutomatonState _known;
    private Chain _lastRead;
    private long _published,
        _end,
        _startedAtEnd = -1,
        _askedEnd = -1;
    private TimeSpan _now,
        _electAt,
        _heardAt,
        _readAt;
    private bool _isCaughtUp;

    /// <summary>
    /// Since when each read has shown a log that ends before the store's last transaction; null if the last one did
    /// not.
    /// </summary>
    private TimeSpan? _aheadSince;

    /// <summary>Resumes where a store stopped.</summary>
    /// <param name="options">Names and times.</param>
    /// <param name="host">Carries out what the loop decides.</param>
    /// <param name="position">
    /// Where to resume reading. It may be before the store's last transaction, never after it.
    /// </param>
    /// <param name="next">The number after the store's last transaction.</param>
    /// <param name="now">The time, by the clock of all later calls.</param>
    public ClusterNode(NodeOptions options, INodeHost host, in ReadPosition position, long next, TimeSpan now)
    {
        (_options, _host, _random, _now, _readAt) = (options, host, new Random(options.Seed), now, now);
        (Place, _known, _lastRead, _published) = (position.Place, position.State, position.LastRead, next);
        LeaderName = position.Leader;
        _heardAt = now;
        _lease = new LeaseClock(options.Lease, options.LeaseWait);
        RestartElectionTimer();
    }

    public NodeRole Role { get; private set; }

    public NodeStop Stop { get; private set; }

    /// <summary>
    /// The name of the node that leads as far as the log was read, or of the successor after a handover; null before
    /// the first claim.
    /// </summary>
    public string? LeaderName { get; private set; }

    /// <summary>
    /// The name of the log that continues this one; null if this log has not ended, or its end was not read again yet.
    /// </summary>
    public string? NextLog { get; private set; }

    /// <summary>The state after the records read so far.</summary>
    public AutomatonState Known => _known;

    /// <summary>Whether the log has ended. Then no node leads, and the store has every acknowledged write.</summary>
    public bool HasEnded => _known.Phase == LogPhase.Ended;

    /// <summary>
    /// Whether the node claims nothing, not even after a handover to its name: another process has that name.
    /// </summary>
    public bool Abstains { get; set; }

    /// <summary>Whether the last read reached the end of the log.</summary>
    public bool IsCaughtUp => _isCaughtUp;

    /// <summary>The next place that the node has not read.</summary>
    public long Place { get; private set; }

    /// <summary>Where to read from: one record back, to check that the log still has it.</summary>
    public long ReadFrom => Math.Max(0, Place - 1);

    /// <summary>The node's position, if it is between two transactions and the node works.</summary>
    public ReadPosition? Boundary => Role != NodeRole.Stopped && _known.Part == 0 && _parts.Count == 0 ? Here : null;

    /// <summary>The number after the last transaction shown to readers.</summary>
    public long Published => _published;

    /// <summary>
    /// Whether a snapshot of published state that was taken <em>before</em> this call contains every acknowledged
    /// write.
    /// </summary>
    public bool HoldsLease(TimeSpan now) =>
        Role is NodeRole.Leading or NodeRole.Claiming && !_handsOver && _lease.MayRead(now);

    /// <summary>
    /// The end of the lease; the least value while <see cref="HoldsLease"/> is false.
    /// </summary>
    public TimeSpan LeasedUntil(TimeSpan now) => HoldsLease(now) ? _lease.Until : TimeSpan.MinValue;

    /// <summary>Whether this node leads, and its writes may be acknowledged as soon as the log has them.</summary>
    public bool MayWrite(TimeSpan now) => TryPrepare(out _) && _lease.MayAcknowledge(now);

    /// <summary>Advances the time. Call it at least every tenth of a lease.</summary>
    public void Tick(TimeSpan now)
    {
        _now = now;
        switch (Role)
        {
            // The store was opened with a position that a newer program wrote.
            case not NodeRole.Stopped when _known.Format > _options.Format:
                Halt(NodeStop.NewerFormat);
                break;
            // Another leader may write nothing, so the wait for the store's last transaction could last for ever.
            case NodeRole.Following when IsAhead():
                Halt(NodeStop.AheadOfLog);
                break;
            // A process that was paused, or gets no answer from the log, cannot tell whether the leader is silent.
            case NodeRole.Following
                when _isCaughtUp && now >= _electAt && now - _readAt < _options.Lease && !HasEnded && !Abstains:
                // A store has accepted transactions only. If the log ends before them, it has lost some, and this
                // node's records could not follow them.
                if (_known.Transaction < _published)
                    Halt(NodeStop.AheadOfLog);
                else
                    Claim();
                break;
            case NodeRole.Claiming when now - _claimedAt >= _options.AppendTimeout:
                Claim();
                break;
            case NodeRole.Leading:
                TickAsLeader();
                break;
        }
        Release();
    }

    /// <summary>
    /// Takes records that were read from <see cref="ReadFrom"/> on. Call it without records too, as long as the log
    /// answers: a node that has read nothing for a whole lease takes part in no election.
    /// </summary>
    public void Read(long first, IReadOnlyList<ReadOnlyMemory<byte>> records, long end, TimeSpan now)
    {
        var hasListened = now - _readAt < _options.Lease;
        (_now, _readAt) = (now, now);
        if (_known.Format > _options.Format)
        {
            Halt(NodeStop.NewerFormat);
            return;
        }
        if (end < Place)
        {
            Halt(NodeStop.AheadOfLog);
            return;
        }
        for (var i = 0; i < records.Count && Role != NodeRole.Stopped; i++)
        {
            if (first + i == Place - 1)
                ReadAgain(records[i]);
            else if (first + i == Place)
                ReadOne(records[i]);
        }
        _end = end;
        _isCaughtUp = Place >= end;
        TrackMissingTransactions(hasListened);
        if (_startedAtEnd < 0)
            _startedAtEnd = end;
        if (_isOvertaken)
            ContinueWhenOvertaken();
        Send();
        Release();
    }

    /// <summary>
    /// Whether the host must report the end of the log to <see cref="EndsAt"/>: the store has transactions that were
    /// not read from the log yet. The end that a read returns may be too low.
    /// </summary>
    public bool NeedsEnd => Role == NodeRole.Following && _askedEnd < 0 && _known.Transaction < _published;

    /// <summary>Takes the end of the log, asked for after <see cref="NeedsEnd"/>.</summary>
    public void EndsAt(long end) => _askedEnd = end;

    /// <summary>The records to read next were trimmed.</summary>
    public void Trimmed() => Halt(NodeStop.NeedsRefill);

    /// <summary>Checks that the log still has the last record that was read.</summary>
    private void ReadAgain(ReadOnlyMemory<byte> bytes)
    {
        if (default(Chain).Append(bytes.Span) != _lastRead)
            Halt(NodeStop.AheadOfLog);
        else if (HasEnded && LogRecord.TryRead(bytes, out var record) == RecordCheck.Sound)
            NextLog = record.Name;
    }

    private void ReadOne(ReadOnlyMemory<byte> bytes)
    {
        var check = LogRecord.TryRead(bytes, out var record);
        if (check == RecordCheck.Damaged)
        {
            Halt(NodeStop.DamagedRecord);
            return;
        }
        var (place, before) = (Place++, _known);
        _lastRead = default(Chain).Append(bytes.Span);
        var accepted = check == RecordCheck.Sound && Automaton.Step(before, record, out _known);
        if (!MatchesAnswer(place, accepted))
            Halt(NodeStop.LogLied);
        else if (accepted)
            Take(record, before, place);
        else
            NoteRejected();
    }

    private void Take(in LogRecord record, in AutomatonState before, long place)
    {
        var own = record.Start == _options.Start;
        if (!own)
            _heardAt = _now;
        RestartElectionTimer();
        if (record.Kind == RecordKind.Handover)
            LeaderName = record.Name;
        if (record.Start == _namesake && record.Kind != RecordKind.Claim)
        {
            Halt(NodeStop.SameName);
            return;
        }
        switch (record.Kind)
        {
            case RecordKind.Claim:
                LeaderName = record.Name;
                _parts.Clear();
                if (own)
                    Lead(before);
                else
                    Depose();
                if (!own && record.Name == _options.Name && _startedAtEnd >= 0 && place >= _startedAtEnd)
                    _namesake = record.Start;
                break;
            case RecordKind.Entry when own:
                TakeOwn(record);
                break;
            case RecordKind.Entry:
                _parts.Add(record.Body);
                if (record.IsLastPart)
                    Redo(record.Transaction);
                break;
            case RecordKind.Beat when own:
                TakeOwn(record);
                break;
            case RecordKind.Handover when own:
                Depose();
                break;
            case RecordKind.Handover when record.Name == _options.Name:
                _electAt = _now;
                break;
            case RecordKind.NextLog:
                (LeaderName, NextLog) = (null, record.Name);
                Depose();
                break;
            case RecordKind.Feature or RecordKind.Begin when _known.Format > _options.Format:
                Halt(NodeStop.NewerFormat);
                break;
            // Only a store that is proved equal to the one that began the log reads past the beginning.
            case RecordKind.Begin when _published > 1:
                Halt(NodeStop.AheadOfLog);
                break;
            case RecordKind.Begin when record.Transaction > 1:
                Halt(NodeStop.NeedsRefill);
                break;
            case RecordKind.Feature when own:
                TakeOwn(record);
                break;
        }
    }

    private void Redo(long transaction)
    {
        var payload = _parts.Count == 1 ? _parts[0] : Join();
        _parts.Clear();
        if (transaction < _published)
        {
            if (!_host.Has(transaction, payload))
                Halt(NodeStop.AheadOfLog);
            return;
        }
        _published = transaction + 1;
        _host.Apply(transaction, payload, Here);
    }

    /// <summary>Records since when the log lacks transactions of the store, although all of the log was read.</summary>
    private void TrackMissingTransactions(bool hasListened)
    {
        if (_known.Transaction >= _published)
            _askedEnd = -1;
        if (_askedEnd < 0 || Place < _askedEnd || Role != NodeRole.Following)
            _aheadSince = null;
        else if (_aheadSince is null || !hasListened)
            _aheadSince = _now;
    }

    private bool IsAhead() =>
        _aheadSince is { } since && _now - since >= _options.AheadAfter && _now - _readAt < _options.Lease;

    private ReadPosition Here => new(Place, _known, _lastRead, LeaderName);

    private byte[] Join()
    {
        var whole = new byte[_parts.Sum(p => p.Length)];
        var at = 0;
        foreach (var part in _parts)
        {
            part.CopyTo(whole.AsMemory(at));
            at += part.Length;
        }
        return whole;
    }

    private void RestartElectionTimer() => _electAt = _now + (_options.ElectAfter * (1 + (_random.NextDouble() / 3)));

    /// <summary>Stops the node. Only the first reason counts.</summary>
    private void Halt(NodeStop why)
    {
        if (Role == NodeRole.Stopped)
            return;
        Undo(NodeRefusal.Unknown);
        (Role, Stop) = (NodeRole.Stopped, why);
    }
}
