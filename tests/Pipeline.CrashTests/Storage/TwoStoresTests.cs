using System.Globalization;
using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// A database and its index on the same disk crash together: the index never knows of more than the database has.
/// A third store that is given the database's journal folder is refused at every moment and changes nothing there.
/// </summary>
public sealed class TwoStoresTests(ITestOutputHelper output)
{
    private const string Database = "/data/store";
    private const string Index = Database + "/indexes/1";
    private const long IndexMark = 1L << 32;

    [Theory]
    [InlineData((int)StorageFaults.None)]
    [InlineData((int)StorageFaults.ParentsUnsynced)]
    [InlineData((int)StorageFaults.TakeForeignJournal)]
    public void An_index_never_knows_of_more_than_its_database(int planted)
    {
        var faults = (StorageFaults)planted;
        var (crashes, fault) = (0, default(string));
        for (var seed = 1; seed <= (planted == 0 ? 6 : 12) && fault is null; seed++)
        {
            using var disk = new SimulatedDisk();
            if (Record.Exception(() => Play(disk, new Random(seed), faults)) is { } error)
            {
                fault = $"seed {seed}: {error.Message}";
                break;
            }
            var (tried, found) = Crash(disk, seed, faults);
            crashes += tried;
            fault = found is null ? null : $"seed {seed}: {found}";
        }
        output.WriteLine($"{faults}: {crashes} crashes, {fault ?? "none bad"}");
        Assert.Equal(planted == 0, fault is null);
        Assert.True(planted != 0 || crashes > 2_000, $"only {crashes} crashes");
    }

    private static StorageOptions Options(
        SimulatedDisk disk,
        string path,
        StorageFaults faults,
        string? journal = null
    ) =>
        CrashWorkload.Options(disk, faults) with
        {
            Path = path,
            JournalPath = journal,
            Threadless = true,
            MaxDataFileBytes = 8 << 20,
        };

    private static void Play(SimulatedDisk disk, Random random, StorageFaults faults)
    {
        var database = StorageEnvironment.Open(Options(disk, Database, faults));
        var index = default(StorageEnvironment);
        for (var count = 0; count < 40; )
        {
            switch (random.Next(10))
            {
                case 0:
                    database.Flush();
                    break;
                case 1:
                    index?.Flush();
                    break;
                case 2:
                    database.Dispose();
                    database = StorageEnvironment.Open(Options(disk, Database, faults));
                    break;
                case 3:
                    Intrude(disk, faults);
                    break;
                case < 6:
                    index ??= StorageEnvironment.Open(Options(disk, Index, faults));
                    var seen = Count(database);
                    Put(index, seen, 50);
                    disk.Mark(IndexMark + seen);
                    break;
                default:
                    Put(database, ++count, random.Next(8) == 0 ? 9000 : 300);
                    disk.Mark(count);
                    break;
            }
        }
        database.Dispose();
        index?.Dispose();
    }

    /// <summary>Somebody gives another store the database's journal folder.</summary>
    private static void Intrude(SimulatedDisk disk, StorageFaults faults)
    {
        try
        {
            using var other = StorageEnvironment.Open(Options(disk, "/data/other", faults, Database + "/journal"));
        }
        catch (StorageException)
        {
            // Expected. The files show afterwards whether anything was changed.
        }
    }

    private static (int Crashes, string? Fault) Crash(SimulatedDisk disk, int seed, StorageFaults faults)
    {
        using var replay = new CrashReplay();
        var (crashes, ofDatabase, ofIndex) = (0, 0L, -1L);
        var log = disk.Log;
        for (var i = 0; i < log.Count; i++)
        {
            replay.Apply(log[i]);
            if (log[i].Kind == DiskEventKind.Mark)
            {
                if (log[i].Offset >= IndexMark)
                    ofIndex = log[i].Offset - IndexMark;
                else
                    ofDatabase = log[i].Offset;
                continue;
            }
            for (var variant = 0; variant < (replay.HasPending ? 3 : 1); variant++)
            {
                var mode = variant switch
                {
                    0 => CrashMode.LoseAll,
                    1 => CrashMode.Mix,
                    _ => CrashMode.KeepAll,
                };
                using var crashed = replay.Crash(new Random((seed * 1_000_003) + (i * 31) + variant), mode);
                crashes++;
                if (Check(crashed, ofDatabase, ofIndex, faults) is { } fault)
                    return (crashes, $"crash after event {i} ({log[i]}), {mode}: {fault}");
            }
        }
        return (crashes, null);
    }

    private static string? Check(SimulatedDisk disk, long ofDatabase, long ofIndex, StorageFaults faults)
    {
        try
        {
            if (disk.Exists(Database + "/pipeline.data"))
                Intrude(disk, faults);
            using var database = StorageEnvironment.Open(Options(disk, Database, faults));
            var found = Count(database);
            if (found < ofDatabase)
                return $"{ofDatabase} operations were acknowledged, {found} are there";
            if (StorageChecker.Check(database) is { IsSound: false } report)
                return string.Join("; ", report.Problems.Take(3));
            if (ofIndex < 0 && !disk.Exists(Index + "/pipeline.data"))
                return null;
            using var index = StorageEnvironment.Open(Options(disk, Index, faults));
            var known = Count(index);
            return known < ofIndex ? $"the index had acknowledged {ofIndex}, {known} is there"
                : known > found ? $"the index knows of {known} operations, the database has {found}"
                : null;
        }
        catch (StorageException e)
        {
            return e.Message;
        }
    }

    private static long Count(StorageEnvironment environment)
    {
        using var read = environment.BeginRead();
        return StoreModel.OperationsIn(read);
    }

    private static void Put(StorageEnvironment environment, long count, int length) =>
        environment.Write(t =>
        {
            t.CreateTree("t").Put(Encoding.UTF8.GetBytes($"{count:d5}"), new byte[length]);
            return t.CreateTree("n").Put("n"u8, Encoding.UTF8.GetBytes(count.ToString(CultureInfo.InvariantCulture)));
        });
}
