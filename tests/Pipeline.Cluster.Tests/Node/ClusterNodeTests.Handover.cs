using Xunit;

namespace Pipeline.Cluster.Tests.Node;

/// <content>Handovers and leases.</content>
public sealed partial class ClusterNodeTests
{
    [Fact]
    public void A_leader_that_hands_over_answers_no_reads_and_takes_no_writes()
    {
        var node = Lead(byTail: true);
        Propose(node, "x");
        foreach (var (_, record, _) in _host.Sent.Skip(1).ToList())
            Land(record);
        Read(node);
        Assert.True(node.HoldsLease(_now));
        node.HandOver("b");
        node.Tick(_now);
        Assert.Equal(RecordKind.Handover, _host.Sent[^1].Record.Kind);
        Assert.False(node.HoldsLease(_now));
        Assert.False(node.TryPrepare(out _));
        Land(_host.Sent[^1].Record);
        Read(node);
        Assert.Equal((NodeRole.Following, LogPhase.HandedOver), (node.Role, _state.Phase));
    }

    [Fact]
    public void A_node_whose_name_is_taken_claims_nothing()
    {
        var other = new Guid(3, 0, 0, new byte[8]);
        Land(LogRecord.Claim(_state, other, "b"));
        Land(LogRecord.Handover(_state, "a"));
        var node = new ClusterNode(new NodeOptions("a", Own), _host, ReadPosition.Start, 1, _now) { Abstains = true };
        for (var i = 0; i < 50; i++)
        {
            _now += TimeSpan.FromMilliseconds(200);
            Read(node);
            node.Tick(_now);
        }
        Assert.Empty(_host.Sent);
        node.Abstains = false;
        Read(node);
        node.Tick(_now);
        Assert.Equal(RecordKind.Claim, Assert.Single(_host.Sent).Record.Kind);
    }

    [Fact]
    public void A_leader_ends_the_log_behind_its_last_transaction_and_nobody_claims_any_more()
    {
        var node = Lead(byTail: false);
        var entry = Propose(node, "x");
        node.EndLog("log-2");
        Assert.False(node.TryPrepare(out _));
        node.Tick(_now);
        // The transaction lands first.
        Assert.Equal(entry.Id, _host.Sent[^1].Id);
        foreach (var (id, record, expected) in _host.Sent.Skip(1).ToList())
        {
            Land(record);
            node.Answered(id, AppendAnswer.At(expected), _now);
        }
        node.Tick(_now);
        Assert.Equal((RecordKind.NextLog, "log-2"), (_host.Sent[^1].Record.Kind, _host.Sent[^1].Record.Name));
        Assert.False(node.HoldsLease(_now));
        Land(_host.Sent[^1].Record);
        Read(node);
        Assert.Equal((true, "log-2", NodeRole.Following), (node.HasEnded, node.NextLog, node.Role));
        Assert.Null(node.LeaderName);
        var sent = _host.Sent.Count;
        for (var i = 0; i < 50; i++)
        {
            _now += TimeSpan.FromMilliseconds(200);
            Read(node);
            node.Tick(_now);
        }
        Assert.Equal(sent, _host.Sent.Count);
        // A process that starts behind the end reads the name again.
        var opened = new ClusterNode(new NodeOptions("b", Other), _host, node.Boundary!.Value, node.Published, _now);
        Assert.Null(opened.NextLog);
        Read(opened);
        Assert.Equal((true, "log-2"), (opened.HasEnded, opened.NextLog));
    }

    [Fact]
    public void What_is_proposed_behind_the_handover_is_not_sent_and_is_refused()
    {
        var node = Lead(byTail: false);
        node.HandOver("b");
        node.Tick(_now);
        var handover = _host.Sent[^1];
        Assert.Equal(RecordKind.Handover, handover.Record.Kind);
        node.Propose("late", "x"u8.ToArray(), _now);
        Land(handover.Record);
        node.Answered(handover.Id, AppendAnswer.At(handover.Expected), _now);
        Assert.Equal(handover.Id, _host.Sent[^1].Id);
        Read(node);
        Assert.Empty(_host.Published);
        Assert.Equal([("late", NodeRefusal.NotAccepted)], _host.Refused);
    }

    [Fact]
    public void A_lease_runs_from_the_sending_of_a_beat()
    {
        var node = Lead(byTail: false);
        node.Tick(_now);
        var (sentAt, beat) = (_now, _host.Sent[^1]);
        Assert.Equal(RecordKind.Beat, beat.Record.Kind);
        node.Answered(beat.Id, AppendAnswer.At(beat.Expected), sentAt + TimeSpan.FromMilliseconds(900));
        Assert.True(node.HoldsLease(sentAt + TimeSpan.FromMilliseconds(950)));
        Assert.False(node.HoldsLease(sentAt + TimeSpan.FromMilliseconds(1000)));
    }

    [Fact]
    public void An_error_leaves_only_under_a_lease()
    {
        var node = Lead(byTail: false);
        node.Query("error", _now);
        Assert.Empty(_host.Acknowledged);
        node.Tick(_now);
        var beat = _host.Sent[^1];
        node.Answered(beat.Id, AppendAnswer.At(beat.Expected), _now);
        Assert.Equal("error", Assert.Single(_host.Acknowledged));
        // After a pause the state of the error may be old.
        node.Query("late", _now + TimeSpan.FromSeconds(1));
        Assert.Equal("error", Assert.Single(_host.Acknowledged));
    }

    [Fact]
    public void A_leader_that_waits_for_an_old_lease_does_not_hand_over_yet()
    {
        var node = Begin();
        Land(LogRecord.Claim(_state, Other, "b"));
        Read(node);
        Claim(node, duringALease: true);
        node.HandOver("c");
        node.Tick(_now + TimeSpan.FromMilliseconds(1199));
        Assert.DoesNotContain(_host.Sent, s => s.Record.Kind == RecordKind.Handover);
        node.Tick(_now + TimeSpan.FromMilliseconds(1200));
        Assert.Equal(RecordKind.Handover, _host.Sent[^1].Record.Kind);
    }
}
