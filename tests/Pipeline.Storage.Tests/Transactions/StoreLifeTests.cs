using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

/// <summary>A store knows whether it is the one that was opened last.</summary>
public sealed class StoreLifeTests
{
    [Fact]
    public void A_life_ends_with_a_copy_and_an_older_state_and_with_nothing_else()
    {
        var made = StoreLife.Begin(StoreOrigin.Created);
        var first = made.Open(file: 11, witnessed: 0);
        Assert.Equal((made.Id, StoreOrigin.Created, 1, 11), (first.Id, first.Origin, first.Openings, first.File));
        var second = first.Open(11, witnessed: 1);
        Assert.Equal((made.Id, 2), (second.Id, second.Openings));

        // A file system that does not say, a crash before the witness, and a folder without one.
        Assert.Equal(made.Id, second.Open(0, 2).Id);
        Assert.Equal(made.Id, second.Open(11, 1).Id);
        Assert.Equal(made.Id, second.Open(11, 0).Id);

        var copied = second.Open(12, 2);
        Assert.Equal((StoreOrigin.Copied, 3, 12), (copied.Origin, copied.Openings, copied.File));
        Assert.NotEqual(made.Id, copied.Id);
        Assert.Equal(copied.Id, copied.Open(12, 3).Id);

        var putBack = first.Open(11, witnessed: 2);
        Assert.Equal((StoreOrigin.PutBack, 3), (putBack.Origin, putBack.Openings));
        Assert.NotEqual(made.Id, putBack.Id);

        // What an older program left has no life yet.
        Assert.Equal(StoreOrigin.Unknown, default(StoreLife).Open(11, 7).Origin);
    }

    [Fact]
    public void No_crash_while_a_store_is_opened_makes_another_life_of_it()
    {
        using var disk = new SimulatedDisk();
        var options = new StorageOptions
        {
            Path = "/db",
            Files = disk,
            KeepsLife = true,
            Deterministic = true,
        };
        long life;
        using (var store = StorageEnvironment.Open(options))
            life = store.Life;
        for (var i = 0; i < 2; i++)
        {
            using var store = StorageEnvironment.Open(options);
            Assert.Equal(life, store.Life);
        }

        var random = new Random(3);
        using var replay = new CrashReplay();
        foreach (var happening in disk.Log)
        {
            replay.Apply(happening);
            foreach (var mode in (CrashMode[])[CrashMode.LoseAll, CrashMode.KeepAll, CrashMode.Mix])
            {
                using var after = replay.Crash(random, mode);
                using var store = StorageEnvironment.Open(options with { Files = after });
                Assert.Equal(StoreOrigin.Created, store.Origin);
            }
        }
    }
}
