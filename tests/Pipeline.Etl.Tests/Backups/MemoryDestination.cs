using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Pipeline.Backups.Destinations;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>A destination in memory that counts operations and fails those that a test chooses.</summary>
internal sealed class MemoryDestination : IBackupDestination
{
    private int _operations;

    public ConcurrentDictionary<string, byte[]> Objects { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// Called before each operation with its number, from 1, and its name. An exception that it returns makes the
    /// operation fail.
    /// </summary>
    public Func<int, string, Exception?> Fault { get; set; } = static (_, _) => null;

    public int Operations => Volatile.Read(ref _operations);

    public string Description => "memory";

    public async Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct)
    {
        await Task.Yield();
        Step("put " + name);
        Objects[name] = bytes.ToArray();
        // A crash after the effect, before anybody knows of it.
        Step("put done " + name);
    }

    public Task<byte[]?> GetAsync(string name, CancellationToken ct)
    {
        Step("get " + name);
        return Task.FromResult(Objects.TryGetValue(name, out var bytes) ? bytes.ToArray() : null);
    }

    public async IAsyncEnumerable<StoredObject> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        await Task.Yield();
        Step("list " + prefix);
        foreach (var (name, bytes) in Objects)
        {
            if (name.StartsWith(prefix, StringComparison.Ordinal))
                yield return new StoredObject(name, bytes.Length, DateTimeOffset.UtcNow);
        }
    }

    public Task DeleteAsync(string name, CancellationToken ct)
    {
        Step("delete " + name);
        Objects.TryRemove(name, out _);
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Step(string what)
    {
        if (Fault(Interlocked.Increment(ref _operations), what) is { } fault)
            throw fault;
    }
}

/// <summary>Simulates the end of the process: no code catches it.</summary>
internal sealed class SimulatedCrash() : Exception("The process has ended here.");
