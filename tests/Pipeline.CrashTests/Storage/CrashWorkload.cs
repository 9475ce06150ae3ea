using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// A seeded workload of one caller over a simulated disk: random operations, flushes, compactions and reopenings.
/// Readers stay open across them and are compared when they end. The caller awaits each operation;
/// pipelined, it awaits only an earlier one, and flushes run in the background. Each acknowledged operation is marked
/// in the disk's log.
/// </summary>
internal sealed class CrashWorkload(
    int seed,
    int operations,
    StorageFaults faults = StorageFaults.None,
    bool pipelined = false,
    bool encrypted = false
)
{
    public const string Folder = SimulatedStore.Folder;
    private static readonly ImmutableSortedDictionary<string, byte[]> Empty = ImmutableSortedDictionary.Create<
        string,
        byte[]
    >(StringComparer.Ordinal);
    private readonly Random _random = new(seed);
    private readonly Queue<(Task Task, int Number)> _waiting = new();
    private StorageEnvironment? _open;

    /// <summary>Operations that caught an error within themselves and were refused.</summary>
    public int Refused { get; private set; }

    /// <summary>The key of encrypted stores.</summary>
    public static StorageEncryption Key => SimulatedStore.Key;

    public bool Encrypted => encrypted;

    public SimulatedDisk Disk { get; } = new();

    public StoreModel Model { get; } = new();

    /// <summary>How often the store was closed, each time with its file cut.</summary>
    public int Closings { get; private set; }

    /// <summary>What a held reader saw wrongly, if one did.</summary>
    public string? ReaderDifference { get; private set; }

    public static StorageOptions Options(SimulatedDisk disk, StorageFaults faults, bool encrypted = false) =>
        SimulatedStore.Options(disk, encrypted) with
        {
            Faults = faults,
            FlushJournalBytes = 64 << 20,
            PagesPerChunk = 4,
        };

    public async Task RunAsync()
    {
        var watch = new PublicationWatch(() => Volatile.Read(ref _open));
        Disk.Fault = happening =>
        {
            watch.See(happening);
            return null;
        };
        var environment = StorageEnvironment.Open(OwnOptions());
        _open = environment;
        var readers = new List<(ReadTransaction Reader, int Operations)>();
        while (Model.Count < operations)
        {
            var dice = _random.Next(100);
            if (dice < 4)
            {
                EndReaders(readers);
                await AwaitAllButAsync(0);
                _open = null;
                environment.Dispose();
                Closings++;
                _open = environment = StorageEnvironment.Open(OwnOptions());
            }
            else if (dice < 14)
            {
                environment.Flush();
            }
            else if (dice < 20 && readers.Count < 4)
            {
                var reader = environment.BeginRead();
                readers.Add((reader, StoreModel.OperationsIn(reader)));
            }
            else if (dice < 24 && readers.Count > 0)
            {
                var index = _random.Next(readers.Count);
                EndReaders([readers[index]]);
                readers.RemoveAt(index);
            }
            else if (dice == 24)
            {
                await CatchAsync(environment);
            }
            else if (dice < 27)
            {
                _waiting.Enqueue(
                    (environment.CompactAsync(new CompactionOptions { MaxBytesPerSecond = 0 }), Model.Count)
                );
                await AwaitAllButAsync(pipelined ? _random.Next(12) : 0);
            }
            else
            {
                var plan = Plan();
                _waiting.Enqueue((environment.WriteAsync(plan), Model.Count));
                await AwaitAllButAsync(pipelined ? _random.Next(12) : 0);
            }
        }
        EndReaders(readers);
        await AwaitAllButAsync(0);
        _open = null;
        environment.Dispose();
        Closings++;
        ReaderDifference ??= watch.Fault;
    }

    /// <summary>
    /// An operation that makes a change, catches an out-of-memory error in its next change, and continues.
    /// </summary>
    private async Task CatchAsync(StorageEnvironment environment)
    {
        try
        {
            await environment.WriteAsync(t =>
            {
                t.CreateTree("tree0").Put("key/0000"u8, "half a change"u8);
                StepHook.Observer = step =>
                {
                    if (step == StorageStep.VersionRent)
                        throw new InsufficientMemoryException("planted");
                };
                try
                {
                    t.CreateTree("tree0").Put("key/0001"u8, new byte[20_000]);
                }
                catch (InsufficientMemoryException)
                {
                    // The store must refuse the whole of it.
                }
                finally
                {
                    StepHook.Observer = null;
                }
            });
            ReaderDifference ??= "an operation that caught an error was committed";
        }
        catch (IncompleteOperationException)
        {
            Refused++;
        }
    }

    private StorageOptions OwnOptions() =>
        Options(Disk, faults, encrypted) with
        {
            Deterministic = !pipelined,
            FlushJournalBytes = pipelined ? 64 << 10 : 64 << 20,
        };

    private async Task AwaitAllButAsync(int some)
    {
        while (_waiting.Count > some)
        {
            var (task, number) = _waiting.Dequeue();
            await task;
            Disk.Mark(number);
        }
    }

    private void EndReaders(List<(ReadTransaction Reader, int Operations)> readers)
    {
        foreach (var (reader, count) in readers)
        {
            try
            {
                ReaderDifference ??= Model.Difference(reader, count);
            }
            catch (StorageException e)
            {
                ReaderDifference ??= e.Message;
            }
            reader.Dispose();
        }
        readers.Clear();
    }

    /// <summary>
    /// Draws the next operation, applies it to the model and returns the action that applies it to the store.
    /// </summary>
    private Action<WriteTransaction> Plan()
    {
        var state = Model.Last;
        var steps = new List<Action<WriteTransaction>>();
        for (var i = _random.Next(1, 8); i > 0; i--)
        {
            var name = "tree" + _random.Next(3);
            var tree = state.GetValueOrDefault(name, Empty);
            if (_random.Next(60) == 0 && state.ContainsKey(name))
            {
                steps.Add(t => t.DropTree(name));
                state = state.Remove(name);
            }
            else if (_random.Next(3) == 0 && tree.Count > 0)
            {
                var key = tree.Keys.ElementAt(_random.Next(tree.Count));
                steps.Add(t => t.OpenTree(name).Delete(Encoding.UTF8.GetBytes(key)));
                state = state.SetItem(name, tree.Remove(key));
            }
            else
            {
                var key = "key/" + _random.Next(150).ToString("d4", CultureInfo.InvariantCulture);
                var value = new byte[
                    _random.Next(40) switch
                    {
                        0 => _random.Next(60000),
                        <= 3 => _random.Next(6000),
                        _ => _random.Next(400),
                    }
                ];
                if (_random.Next(2) == 0)
                    _random.NextBytes(value);
                else
                    value.AsSpan().Fill((byte)_random.Next(256));
                steps.Add(t => t.CreateTree(name).Put(Encoding.UTF8.GetBytes(key), value));
                state = state.SetItem(name, tree.SetItem(key, value));
            }
        }
        Model.Add(state);
        var count = Model.Count.ToString(CultureInfo.InvariantCulture);
        steps.Add(t => t.CreateTree("n").Put("n"u8, Encoding.UTF8.GetBytes(count)));
        return t =>
        {
            foreach (var step in steps)
                step(t);
        };
    }
}
