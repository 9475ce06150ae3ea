using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>A node's position survives every crash, or is the one before it.</summary>
public sealed class PositionFileTests
{
    private const string Folder = "/store";

    private static ReadPosition At(long place) =>
        new(
            place,
            new AutomatonState(
                place + 1,
                new Guid((int)place, 0, 0, new byte[8]),
                place + 2,
                default(Chain).Append("a"u8),
                0,
                LogPhase.Led,
                3
            )
            {
                Origin = default(Chain).Append("o"u8),
            },
            default(Chain).Append("b"u8)
        );

    [Fact]
    public void A_position_is_read_back_and_a_new_file_has_the_start()
    {
        using var disk = new SimulatedDisk(record: false);
        disk.CreateDirectory(Folder);
        using (var file = PositionFile.Open(disk, Folder))
        {
            Assert.Equal(ReadPosition.Start, file.Position);
            file.Save(At(7));
            file.Save(At(9));
        }
        using var again = PositionFile.Open(disk, Folder);
        Assert.Equal(At(9), again.Position);
    }

    [Fact]
    public void A_position_of_an_earlier_version_has_no_origin()
    {
        var bytes = new byte[ReadPosition.Bytes];
        At(7).Write(bytes);
        var read = ReadPosition.Read(bytes.AsSpan(0, ReadPosition.BytesWithoutOrigin));
        Assert.Equal(At(7) with { State = At(7).State with { Origin = default } }, read);
    }

    [Fact]
    public void A_crash_at_any_moment_leaves_the_last_position_that_was_saved_or_the_one_under_way()
    {
        using var disk = new SimulatedDisk();
        disk.CreateDirectory(Folder);
        disk.SyncDirectory("/");
        using (var file = PositionFile.Open(disk, Folder))
        {
            for (var i = 1; i <= 6; i++)
            {
                file.Save(At(i));
                disk.Mark(i);
            }
        }
        using var replay = new CrashReplay();
        var random = new Random(1);
        foreach (var happening in disk.Log)
        {
            replay.Apply(happening);
            for (var i = 0; i < 8; i++)
            {
                using var crashed = replay.Crash(random, i == 0 ? CrashMode.LoseAll : CrashMode.Mix);
                crashed.CreateDirectory(Folder);
                using var file = PositionFile.Open(crashed, Folder);
                var saved = Math.Max(0, replay.LastMark);
                Assert.True(
                    file.Position == (saved == 0 ? ReadPosition.Start : At(saved)) || file.Position == At(saved + 1)
                );
            }
        }
    }
}
