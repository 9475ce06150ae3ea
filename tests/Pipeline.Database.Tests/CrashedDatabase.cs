using Pipeline.Documents.Maintenance;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Database.Tests;

/// <summary>What must hold for a database whatever a crash took.</summary>
internal static class CrashedDatabase
{
    /// <summary>Asserts that the offline check finds nothing.</summary>
    internal static void AssertSound(SimulatedDisk disk, string what)
    {
        var report = DatabaseCheck.Run(new DatabaseOptions { Path = "/db", Files = disk });
        Assert.True(report.IsSound, $"{what}: {string.Join("; ", report.Problems)}");
    }

    /// <summary>
    /// Crashes the disk at random moments: what opens then has the state of its last position, and is sound.
    /// </summary>
    /// <param name="disk">The disk, closed, with its log.</param>
    /// <param name="seed">Of the run, for messages.</param>
    /// <param name="random">Chooses the moments.</param>
    /// <param name="count">How many moments.</param>
    /// <param name="open">Opens a database.</param>
    /// <param name="stateOf">What is compared.</param>
    /// <param name="states">The state after each commit, by its last position.</param>
    internal static Task AssertAtCommitAsync(
        SimulatedDisk disk,
        int seed,
        Random random,
        int count,
        Func<SimulatedDisk, DocumentDatabase> open,
        Func<DocumentDatabase, string> stateOf,
        Dictionary<long, string> states
    ) =>
        CrashPoints.CheckAsync(
            disk,
            random,
            count,
            async (crashed, point) =>
            {
                await using (var db = open(crashed))
                {
                    Assert.True(
                        states.TryGetValue(db.LastPosition, out var state),
                        $"seed {seed}, crash after event {point}: position {db.LastPosition} is within a commit"
                    );
                    Assert.True(
                        state == stateOf(db),
                        $$"""
                        seed {{seed}}, crash after event {{point}}, position {{db.LastPosition}}:
                        {{stateOf(db)}}
                        instead of
                        {{state}}
                        """
                    );
                }

                AssertSound(crashed, $"seed {seed}, crash after event {point}");
            }
        );
}
