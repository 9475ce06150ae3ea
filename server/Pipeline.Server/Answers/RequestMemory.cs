using System.Globalization;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Answers;

/// <summary>A request needs more memory than one request, or all requests together, may use.</summary>
/// <param name="message">What was refused, and which setting limits it.</param>
/// <param name="isOfAll">
/// Whether all requests together use too much, so that the same request may succeed later.
/// </param>
internal sealed class RequestMemoryException(string message, bool isOfAll) : Exception(message)
{
    /// <summary>Whether the same request may succeed later.</summary>
    public bool IsOfAll { get; } = isOfAll;
}

/// <summary>The memory that all requests of a server may use for bodies and answers. Thread-safe.</summary>
internal sealed class RequestMemoryPool(ServerLimits limits)
{
    private long _taken;

    /// <summary>The most bytes that one request may use.</summary>
    public long MaxBytesPerRequest { get; } = limits.MaxRequestMemory;

    /// <summary>Bytes taken by requests.</summary>
    public long Taken => Interlocked.Read(ref _taken);

    /// <summary>Takes bytes for a request.</summary>
    /// <exception cref="RequestMemoryException">Too few bytes are left.</exception>
    public void Take(long bytes)
    {
        if (Interlocked.Add(ref _taken, bytes) <= limits.MaxMemory)
            return;
        Interlocked.Add(ref _taken, -bytes);
        throw new RequestMemoryException(
            string.Create(
                CultureInfo.InvariantCulture,
                $"All requests together may use {limits.MaxMemory} bytes of memory (server.limits.memory), and others use most of it. Try again later, ask for less, or use a stream."
            ),
            isOfAll: true
        );
    }

    /// <summary>Returns bytes.</summary>
    public void Return(long bytes) => Interlocked.Add(ref _taken, -bytes);
}

/// <summary>
/// A request's share of the server's memory: its body, the documents it found, and its answer while it is made. For one
/// thread at a time; disposal returns everything.
/// </summary>
internal sealed class RequestMemory(RequestMemoryPool pool) : IDisposable
{
    // The pool is asked in steps of this size; a request that needs less than one step never asks.
    private const long Step = 1 << 20;
    private const long Free = 64 << 10;
    private long _taken;

    /// <summary>Bytes in use.</summary>
    public long Held { get; private set; }

    /// <summary>Counts bytes that the request is about to use.</summary>
    /// <exception cref="RequestMemoryException">It, or all requests together, would use too much.</exception>
    public void Hold(long bytes)
    {
        var held = Held + bytes;
        if (held > pool.MaxBytesPerRequest)
        {
            throw new RequestMemoryException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"One request may use {pool.MaxBytesPerRequest} bytes of memory (server.limits.requestMemory), and this one needs more. Ask for fewer documents at a time, or use a stream."
                ),
                isOfAll: false
            );
        }
        if (held > Free && held > _taken)
        {
            var more = ((held - _taken + Step - 1) / Step) * Step;
            pool.Take(more);
            _taken += more;
        }
        Held = held;
    }

    /// <summary>
    /// Begins a separate share for a part of a long request; its disposal returns the part's bytes while the request
    /// continues.
    /// </summary>
    public RequestMemory Begin() => new(pool);

    /// <summary>Counts bytes that are no longer used; the pool gets them back when the request ends.</summary>
    public void Release(long bytes) => Held -= bytes;

    /// <inheritdoc/>
    public void Dispose()
    {
        pool.Return(_taken);
        (_taken, Held) = (0, 0);
    }
}
