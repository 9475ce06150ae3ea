using Xunit;

namespace Pipeline.Cluster.Tests.Trim;

/// <summary>What of a log may be given up.</summary>
public sealed class TrimRuleTests
{
    private static readonly DateTimeOffset Now = DateTimeOffset.UnixEpoch.AddDays(100);
    private static readonly TrimOptions Options = new()
    {
        KeepRecords = 50,
        Step = 10,
        GiveUpAfter = TimeSpan.FromDays(7),
    };

    private static LogHolder Member(string name, long place, double days = 0) =>
        new(LogHolderKind.Member, name, place, Now.AddDays(-days));

    private static LogHolder Backup(long place, double days = 0) =>
        new(LogHolderKind.Backup, "nightly", place, Now.AddDays(-days));

    private static long Keep(params LogHolder[] holders) => Keep(Options, holders);

    private static long Keep(TrimOptions options, params LogHolder[] holders) =>
        TrimRule.FirstToKeep(new LogBounds(100, 1000), holders, options, Now);

    [Fact]
    public void The_slowest_member_holds_the_log_and_reads_one_record_before_its_place() =>
        Assert.Equal(299, Keep(Member("a", 900), Member("b", 300), Member("c", 500)));

    [Fact]
    public void The_last_records_are_kept_in_any_case() =>
        Assert.Equal(950, Keep(Member("a", 1000), Member("b", 1000)));

    [Fact]
    public void Nothing_is_given_up_that_fewer_members_have_than_is_wanted()
    {
        Assert.Equal(100, Keep());
        Assert.Equal(100, Keep(Member("a", 900)));
        Assert.Equal(100, Keep(Member("a", 900), Member("b", 900, days: 8)));
    }

    [Fact]
    public void A_member_that_is_away_for_too_long_is_filled_anew() =>
        Assert.Equal(799, Keep(Member("a", 900), Member("b", 800), Member("c", 300, days: 8)));

    [Fact]
    public void A_backup_holds_the_log_until_it_is_too_old()
    {
        Assert.Equal(199, Keep(Member("a", 900), Member("b", 800), Backup(200)));
        Assert.Equal(199, Keep(Member("a", 900), Member("b", 800), Backup(200, days: 1.9), Backup(500)));
        Assert.Equal(499, Keep(Member("a", 900), Member("b", 800), Backup(200, days: 2.1), Backup(500)));
        Assert.Equal(
            799,
            Keep(Options with { GiveUpBackupsAfter = TimeSpan.Zero }, Member("a", 900), Member("b", 800), Backup(200))
        );
        // A backup is no copy that a node can be filled from.
        Assert.Equal(100, Keep(Member("a", 900), Backup(900)));
    }

    [Fact]
    public void A_small_gain_is_left_and_a_member_behind_the_log_holds_nothing_more()
    {
        Assert.Equal(100, Keep(Member("a", 900), Member("b", 110)));
        Assert.Equal(110, Keep(Member("a", 900), Member("b", 111)));
        Assert.Equal(100, Keep(Member("a", 900), Member("b", 20)));
    }
}
