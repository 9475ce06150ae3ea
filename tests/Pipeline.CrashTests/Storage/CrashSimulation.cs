using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// Crashes a workload after each event of its disk, opens the remaining files and compares them with the model.
/// </summary>
internal static class CrashSimulation
{
    /// <summary>
    /// Returns the number of crashes tried. Stops at the first fault, and its text says how to reproduce it.
    /// </summary>
    public static (int Crashes, string? Fault) Run(
        CrashWorkload workload,
        int seed,
        int mixes,
        CrashMode mode,
        StorageFaults faults,
        int every = 1
    )
    {
        using var replay = new CrashReplay();
        var log = workload.Disk.Log;
        var crashes = 0;
        for (var i = 0; i < log.Count; i++)
        {
            replay.Apply(log[i]);
            if (log[i].Kind == DiskEventKind.Mark || i % every != 0)
                continue;
            var variants = replay.HasPending ? mixes + 2 : 1;
            for (var variant = 0; variant < variants; variant++)
            {
                var how = variant switch
                {
                    0 => CrashMode.LoseAll,
                    1 => CrashMode.KeepAll,
                    _ => mode,
                };
                if (how != mode && mode == CrashMode.Misdirect)
                    continue;
                var random = new Random(unchecked((((seed * 1_000_003) + i) * 31) + variant));
                var acknowledged = (int)Math.Max(0, replay.LastMark);
                var again = mode == CrashMode.Mix && random.Next(8) == 0;
                using var disk = replay.Crash(random, how, record: again);
                using var second = again ? new CrashReplay(disk) : null;
                crashes++;
                // Writing on after the recovery, on the threads of an environment in use, costs more than all the rest:
                // not each time.
                var write = random.Next(24) == 0;
                var fault = Check(disk, workload, acknowledged, how, faults, write, offline: random.Next(16) == 0);
                if (fault is null && second is not null)
                {
                    // And once more, somewhere in the recovery, the checks' own commit or the closing.
                    var part = disk.Log;
                    foreach (var happening in part.Take(random.Next(part.Count)))
                        second.Apply(happening);
                    crashes++;
                    using var later = second.Crash(random, mode);
                    fault = Check(
                        later,
                        workload,
                        acknowledged,
                        how,
                        faults,
                        write: false,
                        offline: random.Next(4) == 0
                    )
                        is { } then
                        ? $"crash within recovery: {then}"
                        : null;
                }
                if (fault is not null)
                {
                    return (
                        crashes,
                        $"seed {seed}, crash after event {i} ({log[i]}), variant {variant} ({how}): {fault}"
                    );
                }
            }
        }
        return (crashes, null);
    }

    private static string? Check(
        SimulatedDisk disk,
        CrashWorkload workload,
        int acknowledged,
        CrashMode mode,
        StorageFaults faults,
        bool write,
        bool offline
    )
    {
        try
        {
            // An offline look must find the same as opening the store. Not done each time, because it reads everything.
            if (offline && mode != CrashMode.Misdirect && CheckOffline(disk, workload, acknowledged) is { } unsound)
                return unsound;
            using var environment = StorageEnvironment.Open(
                CrashWorkload.Options(disk, faults, workload.Encrypted) with
                {
                    Threadless = !write,
                }
            );
            var fault = CheckOpened(environment, workload.Model, acknowledged, mode);
            if (write && fault is null && mode != CrashMode.Misdirect)
                environment.WriteAsync(t => t.CreateTree("after").Put("k"u8, "v"u8)).GetAwaiter().GetResult();
            return fault;
        }
        catch (StorageException e) when (mode == CrashMode.Misdirect)
        {
            // A misplaced write destroys durable data; it is enough that the store detects it.
            return e is CorruptPageException or JournalCorruptException ? null : e.Message;
        }
        catch (StorageException e)
        {
            return e.Message;
        }
    }

    private static string? CheckOffline(SimulatedDisk disk, CrashWorkload workload, int acknowledged)
    {
        if (!disk.Exists(CrashWorkload.Folder + "/pipeline.data"))
            return null;
        using var store = OfflineStore.Open(CrashWorkload.Options(disk, StorageFaults.None, workload.Encrypted));
        if (store.Problems.Count > 0)
            return "offline: " + store.Problems[0];
        using var read = store.BeginRead();
        var found = StoreModel.OperationsIn(read);
        return found < acknowledged ? $"offline: {acknowledged} operations were acknowledged, {found} are there"
            : workload.Model.Difference(read, found) is { } difference
                ? $"offline: after {found} operations: {difference}"
            : store.Check() is { IsSound: false } report ? "offline: " + string.Join("; ", report.Problems.Take(5))
            : null;
    }

    private static string? CheckOpened(
        StorageEnvironment environment,
        StoreModel model,
        int acknowledged,
        CrashMode mode
    )
    {
        using var transaction = environment.BeginRead();
        var found = StoreModel.OperationsIn(transaction);
        if (found < acknowledged && mode != CrashMode.Misdirect)
            return $"{acknowledged} operations were acknowledged, {found} are there";
        if (found > model.Count)
            return $"{found} operations are there, only {model.Count} were made";
        if (model.Difference(transaction, found) is { } difference)
            return $"after {found} operations: {difference}";
        var report = StorageChecker.Check(environment);
        return report.IsSound ? null
            : mode == CrashMode.Misdirect ? null
            : string.Join("; ", report.Problems.Take(5));
    }
}
