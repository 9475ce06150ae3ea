using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// A fixed workload, all on the calling thread, in which one step fails: a point between two steps of the store
/// (<see cref="StorageStep"/>) or a call to its disk. After a failure the store is reopened and the workload continues.
/// All that was acknowledged must be there, and nothing that was refused.
/// </summary>
internal sealed class FailingStepWorkload(bool encrypted, StorageFaults faults = StorageFaults.None)
{
    private static readonly ImmutableSortedDictionary<string, byte[]> Empty = ImmutableSortedDictionary.Create<
        string,
        byte[]
    >(StringComparer.Ordinal);
    private StorageEnvironment? _environment;
    private StoreModel _model = new();
    private ReadTransaction? _reader;
    private int _seen;
    private int _steps;
    private int _failAt = -1;
    private Exception? _planted;
    private bool _fails;

    public SimulatedDisk Disk { get; } = new();

    /// <summary>Where the planted error was thrown.</summary>
    public string? FailedAt { get; private set; }

    /// <summary>What was wrong, or null.</summary>
    public string? Fault { get; private set; }

    private StorageOptions Options =>
        CrashWorkload.Options(Disk, faults, encrypted) with
        {
            Threadless = true,
            MaxReaders = 4,
        };

    /// <summary>Runs it; the step of the number throws. Returns how many steps there were.</summary>
    public int Run(int failAt, Exception? planted)
    {
        (_failAt, _planted, _fails) = (failAt, planted, true);
        StepHook.Observer = step =>
        {
            if (
                step
                is not (
                    StorageStep.FlushLock
                    or StorageStep.FlushUnlocked
                    or StorageStep.SlotRead
                    or StorageStep.SlotWait
                    or StorageStep.PlaceTaken
                    or StorageStep.ReaderClaimed
                    or StorageStep.ReaderChoosing
                    or StorageStep.ReaderChosen
                )
            ) // Between these nothing is called or allocated.
            {
                Step(step.ToString());
            }
        };
        Disk.Fault = happening =>
            happening.Kind == DiskEventKind.Mark ? null : Peek($"{happening.Kind} {happening.Path}");
        try
        {
            Play();
        }
        finally
        {
            StepHook.Observer = null;
            Disk.Fault = null;
            _reader?.Dispose();
            _environment?.Dispose();
        }
        CheckAfterCrash(CrashMode.LoseAll);
        CheckAfterCrash(CrashMode.KeepAll);
        return _steps;
    }

    private void Play()
    {
        Open();
        for (var i = 0; i < 5; i++)
            Write("t", i, i == 3 ? 30_000 : 300);
        Flush();
        _reader = Guarded(() => _environment!.BeginRead());
        _seen = _model.Count;
        for (var i = 0; i < 12; i++)
            Write("t", 100 + i, 3_000);
        Flush();
        Write("t", 2, 500);
        Flush();
        EndReader();
        Drop("t");
        Flush();
        for (var i = 0; i < 4; i++)
            Write("u", i, 20_000);
        Flush();
        Reopen();
        Write("u", 9, 100);
        Reopen();
    }

    private void EndReader()
    {
        if (_reader is not null)
            Fault ??= _model.Difference(_reader, _seen) is { } difference ? $"a held reader: {difference}" : null;
        _reader?.Dispose();
        _reader = null;
    }

    private void Step(string name)
    {
        if (Peek(name) is { } error)
            throw error;
    }

    private Exception? Peek(string name)
    {
        if (!_fails || _steps++ != _failAt)
            return null;
        FailedAt = name;
        return _planted;
    }

    private void Open()
    {
        for (var tries = 0; _environment is null; tries++)
        {
            try
            {
                _environment = StorageEnvironment.Open(Options);
            }
            catch (Exception e) when (e == _planted && tries == 0)
            {
                // Opening again must do.
            }
        }
    }

    private T? Guarded<T>(Func<T> action)
        where T : class
    {
        try
        {
            return action();
        }
        catch (Exception e) when (e == _planted)
        {
            return null;
        }
    }

    /// <summary>
    /// Closes and reopens the store, and updates the model with the part of a doubtful operation that is there.
    /// </summary>
    private void Reopen(bool inDoubt = false)
    {
        EndReader(); // The lock would stay with it.
        _environment!.Dispose();
        _environment = null;
        Open();
        using var read = Guarded(() => _environment!.BeginRead()) ?? _environment!.BeginRead();
        var found = StoreModel.OperationsIn(read);
        if (found == _model.Count - 1 && inDoubt)
            _model = _model.Without(found);
        else if (found != _model.Count)
            Fault ??= $"{_model.Count} operations were acknowledged, {found} are there";
        if (Fault is null && _model.Difference(read, found) is { } difference)
            Fault = difference;
    }

    private void Write(string name, int number, int length)
    {
        var state = _model.Last;
        var key = "key/" + number.ToString("d4", CultureInfo.InvariantCulture);
        var value = Enumerable.Repeat((byte)number, length).ToArray();
        Commit(
            state.SetItem(name, state.GetValueOrDefault(name, Empty).SetItem(key, value)),
            t => t.CreateTree(name).Put(Encoding.UTF8.GetBytes(key), value)
        );
    }

    private void Drop(string name) => Commit(_model.Last.Remove(name), t => t.DropTree(name));

    private void Commit(
        ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>> state,
        Action<WriteTransaction> change
    )
    {
        var count = (_model.Count + 1).ToString(CultureInfo.InvariantCulture);
        try
        {
            _environment!.Write(t =>
            {
                change(t);
                return t.CreateTree("n").Put("n"u8, Encoding.UTF8.GetBytes(count));
            });
            _model.Add(state);
            Disk.Mark(_model.Count);
            if (_environment.Failure is not null)
                Reopen();
        }
        catch (Exception e) when (e == _planted || e is StorageFailedException)
        {
            if (_environment!.Failure is null)
                return;
            _model.Add(state);
            Reopen(inDoubt: true);
        }
    }

    private void Flush()
    {
        try
        {
            _environment!.Flush();
        }
        catch (Exception e) when (e == _planted || e is StorageFailedException)
        {
            if (_environment!.Failure is not null)
                Reopen();
        }
    }

    private void CheckAfterCrash(CrashMode mode)
    {
        _fails = false;
        using var replay = new CrashReplay();
        foreach (var happening in Disk.Log)
            replay.Apply(happening);
        using var crashed = replay.Crash(new Random(1), mode);
        try
        {
            using var environment = StorageEnvironment.Open(Options with { Files = crashed });
            using var read = environment.BeginRead();
            var found = StoreModel.OperationsIn(read);
            Fault ??=
                found != _model.Count ? $"after a crash: {_model.Count} operations were acknowledged, {found} are there"
                : _model.Difference(read, found) is { } difference ? $"after a crash: {difference}"
                : StorageChecker.Check(environment) is { IsSound: false } report
                    ? string.Join("; ", report.Problems.Take(5))
                : null;
        }
        catch (StorageException e)
        {
            Fault ??= $"after a crash: {e.Message}";
        }
    }
}
