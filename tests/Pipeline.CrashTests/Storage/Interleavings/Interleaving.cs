using System.Buffers.Binary;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.CrashTests.Storage.Interleavings;

/// <summary>
/// One store with a writer, a flush and readers, in one interleaving of their steps. Each transaction writes its own
/// number under all keys: a snapshot that holds another number anywhere is wrong, and so is one that shows a
/// transaction whose journal entry is not synced.
/// </summary>
internal sealed class Interleaving : IDisposable
{
    private const int Keys = 40;
    private readonly SimulatedDisk _disk = new(record: false);
    private readonly StorageEnvironment _environment;
    private readonly List<ReadTransaction> _held = [];
    private long _synced;

    public Interleaving(StorageFaults faults)
    {
        _environment = StorageEnvironment.Open(
            CrashWorkload.Options(_disk, faults) with
            {
                Threadless = true,
                WipeVersions = true,
                MaxReaders = 6,
                MaxDataFileBytes = 8 << 20,
            }
        );
        Write();
        _environment.Flush();
        Write();
        _synced = 2;
    }

    /// <summary>Opens a reader that stays until the end.</summary>
    public void Hold() => _held.Add(_environment.BeginRead());

    /// <summary>A program that commits.</summary>
    public Action Writer(int transactions) =>
        () =>
        {
            var observer = StepHook.Observer!;
            StepHook.Observer = step =>
            {
                if (step == StorageStep.JournalSynced)
                    _synced++;
                observer(step);
            };
            for (var i = 0; i < transactions; i++)
                Write();
        };

    /// <summary>A program that flushes past readers.</summary>
    public Action Flush(int times) =>
        () =>
        {
            for (var i = 0; i < times; i++)
                _environment.Flush();
        };

    /// <summary>A program that opens, or renews, snapshots and looks at each of them twice.</summary>
    public Action Reader(int snapshots) =>
        () =>
        {
            using var read = _environment.BeginRead();
            for (var i = 0; i < snapshots; i++)
            {
                if (i > 0)
                    read.Renew();
                Look(read);
                StepHook.At(StorageStep.ReaderEntered);
                Look(read);
            }
        };

    /// <summary>Checks the held snapshots, flushes, and checks the newest snapshot and the store.</summary>
    public void Finish()
    {
        foreach (var read in _held)
        {
            Look(read);
            read.Dispose();
        }
        _held.Clear();
        _environment.Flush();
        using var last = _environment.BeginRead();
        Look(last);
        if (StorageChecker.Check(_environment) is { IsSound: false } report)
            throw new InvalidDataException(string.Join("; ", report.Problems.Take(3)));
    }

    public void Dispose()
    {
        _held.ForEach(r => r.Dispose());
        _environment.Dispose();
        _disk.Dispose();
    }

    private void Write() =>
        _environment.Write(t =>
        {
            Span<byte> value = stackalloc byte[300];
            BinaryPrimitives.WriteInt64LittleEndian(value, t.Id);
            for (var key = 0; key < Keys; key++)
                t.CreateTree("t").Put([(byte)key], value);
            return true;
        });

    private void Look(ReadTransaction read)
    {
        if (read.Id > Volatile.Read(ref _synced))
        {
            throw new InvalidDataException(
                $"A reader sees transaction {read.Id}, but the journal is synced only up to {_synced}."
            );
        }

        var tree = read.OpenTree("t");
        for (var key = 0; key < Keys; key += 3)
        {
            var isThere = tree.TryGet([(byte)key], out var value);
            if (key == 0)
                StepHook.At(StorageStep.ReaderEntered); // What it was given must stay until the snapshot ends.
            if (!isThere || BinaryPrimitives.ReadInt64LittleEndian(value) is var found && found != read.Id)
                throw new InvalidDataException($"Key {key} of the snapshot of transaction {read.Id} is another's.");
        }
    }
}
