using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>Sends copies of stores through streams and receives them.</summary>
internal static class CopyStream
{
    /// <summary>Sends a copy of a running node.</summary>
    /// <param name="source">What to copy.</param>
    /// <param name="target">Where to write. It is flushed and stays open.</param>
    /// <param name="sent">Receives the number of bytes sent so far.</param>
    /// <param name="ct">Cancels the copy.</param>
    /// <returns>Where the copy continues in the log.</returns>
    /// <exception cref="CopyOverrunException">Too much was written during the copy. The receiver knows it.</exception>
    /// <exception cref="CopyRefusedException">The node has stopped. The receiver knows it.</exception>
    /// <exception cref="StorageException">A page is damaged, or cannot be read. The receiver knows it.</exception>
    public static async Task<ReadPosition> SendAsync(
        CopySource source,
        Stream target,
        IProgress<long>? sent = null,
        CancellationToken ct = default
    )
    {
        var bytes = 0L;
        try
        {
            await foreach (var piece in source.ReadAsync(ct).ConfigureAwait(false))
            {
                await target.WriteAsync(piece, ct).ConfigureAwait(false);
                sent?.Report(bytes += piece.Length);
            }
        }
        catch (Exception e) when (e is StorageException or CopyOverrunException or CopyRefusedException)
        {
            await target.WriteAsync(source.Fail(e.Message), ct).ConfigureAwait(false);
            await target.FlushAsync(ct).ConfigureAwait(false);
            throw;
        }
        await target.FlushAsync(ct).ConfigureAwait(false);
        return source.Position!.Value;
    }

    /// <summary>
    /// Fills a node's folder, which nothing may have open. If this fails or is cancelled, the folder has no store and
    /// must be filled again.
    /// </summary>
    /// <param name="source">Where to read.</param>
    /// <param name="options">The node's store.</param>
    /// <param name="received">Receives the number of bytes received so far.</param>
    /// <param name="ct">Cancels the copy.</param>
    /// <returns>Where the node continues in the log.</returns>
    /// <exception cref="CopyDamagedException">The copy arrived damaged or ends too early.</exception>
    /// <exception cref="CopyFailedException">The sender could not complete the copy.</exception>
    /// <exception cref="StorageException">A page is damaged, or the folder cannot be written.</exception>
    public static async Task<ReadPosition> ReceiveAsync(
        Stream source,
        StorageOptions options,
        IProgress<long>? received = null,
        CancellationToken ct = default
    )
    {
        using var target = new CopyTarget(options);
        var header = new byte[CopyFrame.HeaderBytes];
        byte[][] buffers =
        [
            [],
            [],
        ];
        var taking = Task.CompletedTask;
        var bytes = 0L;
        try
        {
            for (var number = 0u; ; number++)
            {
                if (
                    await source.ReadAtLeastAsync(header, header.Length, false, ct).ConfigureAwait(false)
                    < header.Length
                )
                {
                    throw new CopyDamagedException(number, "the stream ends before it");
                }

                var frame = CopyFrame.Read(header, number);
                // Read one payload while the previous one is verified and written.
                ref var buffer = ref buffers[number % 2];
                if (buffer.Length < frame.Length)
                    buffer = new byte[Math.Max(frame.Length, 2 * buffer.Length)];
                var payload = buffer.AsMemory(0, frame.Length);
                if (
                    await source.ReadAtLeastAsync(payload, frame.Length, false, ct).ConfigureAwait(false) < frame.Length
                )
                {
                    throw new CopyDamagedException(number, "the stream ends within it");
                }

                await taking.ConfigureAwait(false);
                received?.Report(bytes += header.Length + frame.Length);
                taking = Task.Run(
                    () =>
                    {
                        frame.Verify(payload.Span);
                        target.Take(frame.Kind, payload.Span);
                    },
                    ct
                );
                if (frame.Kind is not (CopyFrameKind.End or CopyFrameKind.Failed))
                    continue;
                await taking.ConfigureAwait(false);
                return target.Position!.Value;
            }
        }
        finally
        {
            // The target must not be disposed of while it takes a frame.
            await taking.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
