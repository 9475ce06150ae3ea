using System.Collections.Immutable;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>One seeded run that compares a store with a model.</summary>
internal sealed class ModelFuzz : IDisposable
{
    private const int MaxValue = 16 << 20;
    private const long MaxLiveBytes = 160 << 20;
    private static readonly ImmutableSortedDictionary<string, byte[]> Empty = ImmutableSortedDictionary.Create<
        string,
        byte[]
    >(StringComparer.Ordinal);
    private readonly Random _random;
    private readonly StorageOptions _options;
    private readonly List<(ReadTransaction Reader, int State)> _held = [];
    private StoreModel _model = new();
    private StorageEnvironment _environment;

    public ModelFuzz(int seed, string? folder)
    {
        _random = new Random(seed);
        _options = new StorageOptions
        {
            Path = folder,
            FlushJournalBytes = 1 << _random.Next(16, 25),
            MaxJournalFileBytes = 1 << _random.Next(20, 24),
            FlushScratchBytes = 1 << _random.Next(20, 26),
            MaxDataFileBytes = 4L << 30,
        };
        _environment = StorageEnvironment.Open(_options);
    }

    public long Operations { get; private set; }

    public long BytesPut { get; private set; }

    public long PagesMoved { get; private set; }

    /// <summary>What was wrong, once something was.</summary>
    public string? Fault { get; private set; }

    /// <summary>Runs one random step; returns the fault found, or null.</summary>
    public async Task<string?> StepAsync()
    {
        var dice = _random.Next(100);
        if (dice < 3 && _options.Path is not null)
            Reopen();
        else if (dice < 8)
            _environment.Flush();
        else if (dice < 16 && _held.Count < 5)
            _held.Add((_environment.BeginRead(), _model.Count));
        else if (dice < 22 && _held.Count > 0)
            End(_random.Next(_held.Count));
        else if (dice < 28)
            Compare();
        else if (dice < 31)
            await CompactAsync();
        else
            await WriteAsync();
        return Fault;
    }

    /// <summary>Compares all that is still open and checks the store.</summary>
    public string? Finish()
    {
        while (_held.Count > 0)
            End(0);
        Compare();
        if (StorageChecker.Check(_environment) is { IsSound: false } report)
            Fault ??= string.Join("; ", report.Problems.Take(5));
        return Fault;
    }

    public void Dispose()
    {
        foreach (var (reader, _) in _held)
            reader.Dispose();
        _environment.Dispose();
    }

    private void Reopen()
    {
        while (_held.Count > 0)
            End(0);
        _environment.Dispose();
        _environment = StorageEnvironment.Open(_options);
    }

    /// <summary>
    /// Compacts the store. With no reader held, the compaction must cut the file, so that free space behind the used
    /// pages is gone.
    /// </summary>
    private async Task CompactAsync()
    {
        var report = await _environment.CompactAsync(new CompactionOptions { MaxBytesPerSecond = 0 });
        Operations++;
        PagesMoved += report.PagesMoved;
        if (_held.Count == 0 && !report.IsCut)
            Fault ??= $"not cut: {report}";
        if (StorageChecker.Check(_environment) is { IsSound: false } problems)
            Fault ??= "after a compaction: " + string.Join("; ", problems.Problems.Take(5));
    }

    private void Compare()
    {
        using var read = _environment.BeginRead();
        Fault ??= _model.Difference(read, _model.Count);
    }

    private void End(int index)
    {
        var (reader, state) = _held[index];
        Fault ??= _model.Difference(reader, state);
        reader.Dispose();
        _held.RemoveAt(index);
    }

    private async Task WriteAsync()
    {
        var state = _model.Last;
        var live = state.Values.Sum(tree => tree.Values.Sum(value => (long)value.Length));
        var steps = new List<Action<WriteTransaction>>();
        for (var i = _random.Next(1, 20); i > 0; i--)
        {
            var name = "tree" + _random.Next(3);
            var tree = state.GetValueOrDefault(name, Empty);
            if ((live > MaxLiveBytes || _random.Next(80) == 0) && state.ContainsKey(name))
            {
                steps.Add(t => t.DropTree(name));
                live -= tree.Values.Sum(value => (long)value.Length);
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
                var key = new string((char)_random.Next('a', 'd'), _random.Next(1, 200)) + _random.Next(400);
                var value = NewValue();
                live += value.Length;
                BytesPut += value.Length;
                steps.Add(t => t.CreateTree(name).Put(Encoding.UTF8.GetBytes(key), value));
                state = state.SetItem(name, tree.SetItem(key, value));
            }
            Operations++;
        }
        var refused = _random.Next(10) == 0;
        try
        {
            await _environment.WriteAsync(t =>
            {
                foreach (var step in steps)
                    step(t);
                if (refused)
                    throw new InvalidOperationException("refused after the change");
            });
            _model.Add(state);
        }
        catch (InvalidOperationException) when (refused)
        {
            // As if it had never been: the comparisons show whether.
        }
        if (_held.Count == 0 && _model.Count > 200)
            _model = StoreModel.Of(_model.Last);
    }

    private byte[] NewValue()
    {
        var value = new byte[
            _random.Next(100) switch
            {
                0 => _random.Next(8) == 0 ? MaxValue : (int)Math.Pow(2, 13 + (_random.NextDouble() * 11)),
                < 12 => _random.Next(70_000),
                _ => _random.Next(600),
            }
        ];
        if (_random.Next(3) > 0)
            _random.NextBytes(value);
        else
            value.AsSpan().Fill((byte)_random.Next(256));
        return value;
    }
}
