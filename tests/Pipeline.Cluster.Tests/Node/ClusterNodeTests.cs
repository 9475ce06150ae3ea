using System.Text;
using Xunit;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>One node's loop, step by step.</summary>
public sealed partial class ClusterNodeTests
{
    private static readonly Guid Own = new(1, 0, 0, new byte[8]),
        Other = new(2, 0, 0, new byte[8]);

    private readonly RecordingHost _host = new();
    private readonly List<ReadOnlyMemory<byte>> _log = [];
    private AutomatonState _state = AutomatonState.Start;
    private TimeSpan _now = TimeSpan.FromHours(1);

    [Fact]
    public void A_follower_redoes_a_transaction_of_many_parts_as_one()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Land(LogRecord.Entry(_state, "on"u8, isLast: false));
        Read(node);
        Assert.Empty(_host.Applied);
        Land(LogRecord.Entry(_state, "e"u8, isLast: true));
        Read(node);
        var (transaction, payload) = Assert.Single(_host.Applied);
        Assert.Equal(1, transaction);
        Assert.Equal("one"u8.ToArray(), payload);
        Assert.Equal(2, node.Published);
    }

    [Fact]
    public void Half_a_transaction_of_a_deposed_leader_is_forgotten()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Land(LogRecord.Entry(_state, "half"u8, isLast: false));
        Land(LogRecord.Claim(_state, Other, "b"));
        Land(LogRecord.Entry(_state, "whole"u8, isLast: true));
        Read(node);
        Assert.Equal("whole"u8.ToArray(), Assert.Single(_host.Applied).Payload);
    }

    [Fact]
    public void A_process_that_was_paused_reads_before_it_claims()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Read(node);
        _now += TimeSpan.FromMinutes(1);
        node.Tick(_now);
        Assert.Empty(_host.Sent);
        Land(LogRecord.BeatOf(_state, 1));
        Read(node);
        node.Tick(_now);
        Assert.Empty(_host.Sent);
        for (var i = 0; i < 30; i++)
            Wait(node, 100);
        Assert.Equal(RecordKind.Claim, Assert.Single(_host.Sent.Take(1)).Record.Kind);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_leader_acknowledges_once_its_record_is_accepted(bool byTail)
    {
        var node = Lead(byTail);
        var entry = Propose(node, "x");
        Assert.Empty(_host.Acknowledged);
        node.Answered(entry.Id, AppendAnswer.At(_log.Count), _now);
        Assert.Equal(byTail ? 0 : 1, _host.Acknowledged.Count);
        Land(entry.Record);
        Read(node);
        Assert.Equal("x", Assert.Single(_host.Acknowledged));
        Assert.Equal(1, Assert.Single(_host.Published));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_leader_that_reads_its_own_overtaken_record_claims_at_once(bool byTail)
    {
        var node = Lead(byTail);
        Propose(node, "lost");
        var second = Propose(node, "overtaken");
        var sent = _host.Sent.Count;
        Land(second.Record);
        Read(node);
        Assert.Equal(NodeRole.Claiming, node.Role);
        var claim = _host.Sent[sent].Record;
        Assert.Equal(RecordKind.Claim, claim.Kind);
        Land(claim);
        Read(node);
        Assert.Equal(
            ["lost", "overtaken"],
            _host.Sent.Skip(sent + 1).Select(s => Encoding.UTF8.GetString(s.Record.Body.Span))
        );
    }

    [Fact]
    public void A_follower_whose_claim_was_refused_follows_the_leader_that_it_hears()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Read(node);
        for (var i = 0; i < 30 && _host.Sent.Count == 0; i++)
            Wait(node, 100);
        Land(LogRecord.BeatOf(_state, 1));
        node.Answered(_host.Sent[0].Id, AppendAnswer.Moved, _now);
        node.Tick(_now);
        Assert.Single(_host.Sent);
        Read(node);
        Assert.Equal(NodeRole.Following, node.Role);
        Assert.Single(_host.Sent);
        for (var i = 0; i < 30 && _host.Sent.Count == 1; i++)
            Wait(node, 100);
        Land(_host.Sent[1].Record);
        Read(node);
        Assert.Equal(NodeRole.Leading, node.Role);
    }

    [Fact]
    public void A_leader_whose_claim_was_refused_reads_on_and_claims_at_once()
    {
        var node = Lead(byTail: false);
        var entry = Propose(node, "x");
        Land(entry.Record);
        node.Answered(entry.Id, AppendAnswer.Unknown(new IOException("lost")), _now);
        var refused = _host.Sent[^1];
        Assert.Equal(RecordKind.Claim, refused.Record.Kind);
        node.Answered(refused.Id, AppendAnswer.Moved, _now);
        Read(node);
        var claim = _host.Sent[^1];
        Assert.Equal((RecordKind.Claim, (long)_log.Count), (claim.Record.Kind, claim.Expected));
        Assert.NotEqual(refused.Id, claim.Id);
        Land(claim.Record);
        Read(node);
        Assert.Equal(NodeRole.Leading, node.Role);
        Assert.Equal("x", Assert.Single(_host.Acknowledged));
    }

    [Fact]
    public void A_duplicate_of_an_accepted_record_is_no_reason_to_claim()
    {
        var node = Lead(byTail: false);
        var entry = Propose(node, "x");
        Land(entry.Record);
        Land(entry.Record);
        Read(node);
        Assert.Equal(NodeRole.Leading, node.Role);
        Assert.Equal("x", Assert.Single(_host.Acknowledged));
    }

    [Fact]
    public void A_gap_stops_acknowledgements_until_the_own_claim_is_read()
    {
        var node = Lead(byTail: false);
        var entry = Propose(node, "x");
        Land(LogRecord.BeatOf(AutomatonState.Start, 1));
        Land(entry.Record);
        node.Answered(entry.Id, AppendAnswer.At(_log.Count - 1), _now);
        Assert.Empty(_host.Acknowledged);
        Assert.Equal(NodeRole.Claiming, node.Role);
        Land(_host.Sent[^1].Record);
        Read(node);
        Assert.Equal("x", Assert.Single(_host.Acknowledged));
    }

    [Fact]
    public void A_deposed_leader_says_what_it_knows_of_each_transaction()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Read(node);
        Claim(node, duringALease: true);
        var accepted = Propose(node, "accepted");
        Propose(node, "lost");
        Land(accepted.Record);
        Read(node);
        // It still waits for the lease of the other, so nobody may learn of the write.
        Assert.Empty(_host.Acknowledged);
        Land(LogRecord.Claim(_state, Other, "b"));
        Read(node);
        Assert.Equal([("accepted", NodeRefusal.Unknown), ("lost", NodeRefusal.NotAccepted)], _host.Refused);
        Assert.Equal((NodeRole.Following, 2), (node.Role, _host.Drops));
    }

    [Fact]
    public void A_successor_claims_at_once_and_waits_for_no_lease()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Land(LogRecord.Handover(_state, "a"));
        Read(node);
        node.Tick(_now);
        Land(Assert.Single(_host.Sent).Record);
        Read(node);
        var entry = Propose(node, "x");
        Land(entry.Record);
        Read(node);
        Assert.Equal("x", Assert.Single(_host.Acknowledged));
    }

    [Fact]
    public void A_leader_that_had_heard_nothing_for_a_lease_waits_for_none()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Read(node);
        Claim(node);
        var entry = Propose(node, "x");
        Land(entry.Record);
        Read(node);
        Assert.Equal("x", Assert.Single(_host.Acknowledged));
    }

    private ClusterNode Begin(bool byTail = false) =>
        new(new NodeOptions("a", Own) { ByTail = byTail }, _host, ReadPosition.Start, 1, _now);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_leader_has_the_log_use_a_format_that_it_knows_once(bool byTail)
    {
        var node = new ClusterNode(
            new NodeOptions("a", Own) { ByTail = byTail, Format = 2 },
            _host,
            ReadPosition.Start,
            1,
            _now
        );
        Read(node);
        node.UseFormat(2);
        Claim(node);
        node.Tick(_now);
        Assert.DoesNotContain(_host.Sent, s => s.Record.Kind == RecordKind.Feature);

        node.UseFormat(9);
        node.Tick(_now);
        node.Tick(_now);
        var feature = Assert.Single(_host.Sent, s => s.Record.Kind == RecordKind.Feature);
        Assert.Equal(2, feature.Record.Format);
        // A transaction behind it follows it in the chain.
        var entry = Propose(node, "x");
        Land(feature.Record);
        Land(entry.Record);
        node.Answered(feature.Id, AppendAnswer.At(_log.Count - 2), _now);
        node.Answered(entry.Id, AppendAnswer.At(_log.Count - 1), _now);
        Read(node);
        Assert.Equal("x", Assert.Single(_host.Acknowledged));
        Assert.Equal((NodeRole.Leading, 2, 2), (node.Role, node.Known.Format, _state.Format));
        node.Tick(_now);
        Assert.Single(_host.Sent, s => s.Record.Kind == RecordKind.Feature);
    }

    private ClusterNode Lead(bool byTail)
    {
        var node = Begin(byTail);
        Read(node);
        Claim(node);
        return node;
    }

    /// <summary>Has a node claim, and read its claim.</summary>
    /// <param name="node">The node.</param>
    /// <param name="duringALease">Whether a beat of the other leader lands before the claim.</param>
    private void Claim(ClusterNode node, bool duringALease = false)
    {
        for (var i = 0; i < 30 && _host.Sent.Count == 0; i++)
            Wait(node, 100);
        if (duringALease)
            Land(LogRecord.BeatOf(_state, 1));
        Land(_host.Sent[0].Record);
        Read(node);
        Assert.Equal(NodeRole.Leading, node.Role);
    }

    private (long Id, LogRecord Record, long Expected) Propose(ClusterNode node, string payload)
    {
        Assert.True(node.TryPrepare(out _));
        node.Propose(payload, Encoding.UTF8.GetBytes(payload), _now);
        return _host.Sent[^1];
    }

    private void Wait(ClusterNode node, int milliseconds)
    {
        _now += TimeSpan.FromMilliseconds(milliseconds);
        Read(node);
        node.Tick(_now);
    }

    private void Land(LogRecord record)
    {
        _log.Add(record.Bytes);
        Pipeline.Cluster.Automaton.Step(_state, record, out _state);
    }

    private void Read(ClusterNode node) => node.Read(node.ReadFrom, _log[(int)node.ReadFrom..], _log.Count, _now);
}
