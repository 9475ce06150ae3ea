using Xunit;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>Each reason for which a node stops, and that it does nothing more.</summary>
public sealed class NodeStopTests
{
    private static readonly Guid Own = new(1, 0, 0, new byte[8]),
        Other = new(2, 0, 0, new byte[8]);

    private readonly RecordingHost _host = new();
    private readonly List<ReadOnlyMemory<byte>> _log = [];
    private readonly ClusterNode _node;
    private AutomatonState _state = AutomatonState.Start;
    private TimeSpan _now = TimeSpan.FromHours(1);

    public NodeStopTests()
    {
        _node = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 1, _now);
        Land(LogRecord.Claim(_state, Other, "b"));
        Land(LogRecord.Entry(_state, "1"u8, isLast: true));
        Read();
        Assert.Equal((NodeRole.Following, NodeStop.None), (_node.Role, _node.Stop));
    }

    [Fact]
    public void The_log_ends_before_what_was_read()
    {
        _log.RemoveAt(1);
        _node.Read(1, [], 1, _now);
        Stopped(NodeStop.AheadOfLog);
    }

    [Fact]
    public void The_log_holds_another_record_at_the_last_place_that_was_read()
    {
        _log[1] = LogRecord.Entry(AutomatonState.Start, "2"u8, isLast: true).Bytes;
        Read();
        Stopped(NodeStop.AheadOfLog);
    }

    [Fact]
    public void The_log_holds_another_transaction_than_the_store_was_opened_with()
    {
        // Its position is older than its store, as after a crash.
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 2, _now);
        opened.Read(0, _log, _log.Count, _now);
        Assert.Equal(NodeStop.None, opened.Stop);
        _host.HasWhatIsRead = false;
        opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 2, _now);
        opened.Read(0, _log, _log.Count, _now);
        Assert.Equal((NodeRole.Stopped, NodeStop.AheadOfLog), (opened.Role, opened.Stop));
    }

    [Fact]
    public void The_log_ends_before_what_the_store_was_opened_with_and_nobody_else_leads()
    {
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 3, _now);
        opened.Read(0, _log, _log.Count, _now);
        Assert.Equal(NodeStop.None, opened.Stop);
        _now += TimeSpan.FromSeconds(3);
        opened.Read(_log.Count, [], _log.Count, _now);
        opened.Tick(_now);
        Assert.Equal((NodeRole.Stopped, NodeStop.AheadOfLog), (opened.Role, opened.Stop));
        Assert.Empty(_host.Sent);
    }

    [Fact]
    public void The_log_ends_before_what_the_store_was_opened_with_and_others_lead_without_writing()
    {
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 3, _now);
        Assert.True(opened.NeedsEnd);
        opened.EndsAt(_log.Count);
        Assert.False(opened.NeedsEnd);
        Beat(opened, 29);
        Assert.Equal((NodeRole.Following, NodeStop.None), (opened.Role, opened.Stop));
        Beat(opened, 3);
        Assert.Equal((NodeRole.Stopped, NodeStop.AheadOfLog), (opened.Role, opened.Stop));
        Assert.Empty(_host.Sent);
    }

    [Fact]
    public void A_log_that_was_not_read_to_its_end_may_have_what_the_store_has()
    {
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 3, _now);
        // Each read says that there is no more, as a client does that has not received it yet.
        Beat(opened, 100);
        opened.EndsAt(_log.Count + 101);
        Beat(opened, 100);
        Assert.Equal(NodeStop.None, opened.Stop);
        Land(LogRecord.Entry(_state, "2"u8, isLast: true));
        Beat(opened, 100);
        Assert.Equal((NodeRole.Following, NodeStop.None), (opened.Role, opened.Stop));
        Assert.False(opened.NeedsEnd);
    }

    [Fact]
    public void A_process_that_was_paused_looks_anew()
    {
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 3, _now);
        opened.EndsAt(_log.Count);
        Beat(opened, 20);
        _now += TimeSpan.FromSeconds(60);
        Beat(opened, 20);
        Assert.Equal(NodeStop.None, opened.Stop);
        Beat(opened, 20);
        Assert.Equal(NodeStop.AheadOfLog, opened.Stop);
    }

    [Fact]
    public void The_next_records_were_trimmed()
    {
        _node.Trimmed();
        Stopped(NodeStop.NeedsRefill);
    }

    [Fact]
    public void A_newer_format_is_used_from_here_on()
    {
        Land(LogRecord.Feature(_state, 1));
        Read();
        Stopped(NodeStop.NewerFormat);
    }

    [Theory]
    [InlineData(1, 41, NodeStop.NeedsRefill)]
    [InlineData(41, 41, NodeStop.AheadOfLog)]
    [InlineData(50, 41, NodeStop.AheadOfLog)]
    [InlineData(1, 1, NodeStop.None)]
    public void Only_a_store_that_was_shown_to_be_the_one_reads_on_behind_a_beginning(
        long next,
        long begins,
        object expected
    )
    {
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, next, _now);
        var first = LogRecord.Begin(AutomatonState.Start with { Transaction = begins }, "b");
        opened.Read(0, [first.Bytes], 1, _now);
        Assert.Equal(expected, opened.Stop);
    }

    [Fact]
    public void A_log_begins_with_a_format_that_this_version_does_not_know()
    {
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 1, _now);
        var first = LogRecord.Begin(AutomatonState.Start with { Format = 99 }, "b");
        opened.Read(0, [first.Bytes], 1, _now);
        Assert.Equal(NodeStop.NewerFormat, opened.Stop);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_newer_program_has_read_the_log_before(bool reads)
    {
        // As after a downgrade: the kept position knows a format that this program does not.
        var before = _host.Applied.Count;
        var position = ReadPosition.Start with { State = AutomatonState.Start with { Format = 1 } };
        var opened = new ClusterNode(new NodeOptions("a", Own), _host, position, 1, _now);
        if (reads)
            opened.Read(0, _log, _log.Count, _now);
        else
            opened.Tick(_now);
        Assert.Equal((NodeRole.Stopped, NodeStop.NewerFormat), (opened.Role, opened.Stop));
        Assert.Equal(before, _host.Applied.Count);
    }

    [Fact]
    public void A_record_is_damaged()
    {
        var bytes = LogRecord.Entry(_state, "2"u8, isLast: true).Bytes.ToArray();
        bytes[^1] ^= 1;
        _log.Add(bytes);
        Read();
        Stopped(NodeStop.DamagedRecord);
    }

    [Fact]
    public void Another_process_of_this_name_leads()
    {
        Land(LogRecord.Claim(_state, new Guid(3, 0, 0, new byte[8]), "a"));
        Read();
        // The claim alone may be a late one of this node's last process.
        Assert.Equal(NodeStop.None, _node.Stop);
        Land(LogRecord.BeatOf(_state, 1));
        Read();
        Stopped(NodeStop.SameName);
    }

    [Fact]
    public void A_record_that_was_acknowledged_by_its_place_is_not_there()
    {
        Lead();
        Assert.True(_node.TryPrepare(out var transaction));
        Assert.Equal(2, transaction);
        _node.Propose("x", "x"u8.ToArray(), _now);
        foreach (var (id, record, expected) in _host.Sent.Skip(1).ToList())
        {
            _node.Answered(id, AppendAnswer.At(expected), _now);
            if (record.Kind == RecordKind.Beat)
                Land(record);
        }
        Land(LogRecord.Claim(_state, Other, "b"));
        Read();
        Stopped(NodeStop.LogLied);
    }

    /// <summary>Another leader says that it lives, and the node reads that, ten times a second.</summary>
    private void Beat(ClusterNode node, int times)
    {
        for (var i = 0; i < times; i++)
        {
            _now += TimeSpan.FromMilliseconds(100);
            Land(LogRecord.BeatOf(_state, _log.Count));
            var from = (int)node.ReadFrom;
            node.Read(from, _log[from..], _log.Count, _now);
            node.Tick(_now);
        }
    }

    private void Lead()
    {
        for (var i = 0; i < 30 && _host.Sent.Count == 0; i++)
        {
            _now += TimeSpan.FromMilliseconds(100);
            Read();
            _node.Tick(_now);
        }
        Land(_host.Sent[0].Record);
        Read();
        Assert.Equal(NodeRole.Leading, _node.Role);
    }

    private void Land(LogRecord record)
    {
        _log.Add(record.Bytes);
        Pipeline.Cluster.Automaton.Step(_state, record, out _state);
    }

    private void Read()
    {
        var from = Math.Min((int)_node.ReadFrom, _log.Count);
        _node.Read(from, _log[from..], _log.Count, _now);
    }

    private void Stopped(NodeStop why)
    {
        Assert.Equal((NodeRole.Stopped, why), (_node.Role, _node.Stop));
        var (sent, applied) = (_host.Sent.Count, _host.Applied.Count);
        Land(LogRecord.Entry(_state, "more"u8, isLast: true));
        _now += TimeSpan.FromMinutes(1);
        Read();
        _node.Read(0, [], 0, _now);
        _node.Trimmed();
        _node.Tick(_now);
        Assert.Equal((sent, applied, why), (_host.Sent.Count, _host.Applied.Count, _node.Stop));
        Assert.False(_node.TryPrepare(out _));
        Assert.False(_node.HoldsLease(_now));
    }
}
