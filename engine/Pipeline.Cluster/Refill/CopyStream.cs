using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>Sends copies of stores through streams and receives them.</summary>
internal static class CopyStream
{
    /// <summary>Sends a copy while the node goes on.</summary>
    /// <param name="source">What to copy.</param>
    /// <param name="target">Where to write. It is flushed and stays open.</param>
    /// <param name="ct">Gives the copy up.</param>
    /// <returns>Where the copy goes on in the log.</returns>
    public static async Task<ReadPosition> SendAsync(CopySource source, Stream target, CancellationToken ct = default)
    {
        await foreach (var piece in source.ReadAsync(ct).ConfigureAwait(false))
            await target.WriteAsync(piece, ct).ConfigureAwait(false);
        await target.FlushAsync(ct).ConfigureAwait(false);
        return source.Position!.Value;
    }

    /// <summary>
    /// Fills a node's folder. Nothing may have it open. If this fails or is cancelled, the folder has no store, and is
    /// to be filled again.
    /// </summary>
    /// <param name="source">Where to read.</param>
    /// <param name="options">The node's store.</param>
    /// <param name="received">Is told the bytes received so far.</param>
    /// <param name="ct">Gives the copy up.</param>
    /// <returns>Where the node goes on in the log.</returns>
    /// <exception cref="CopyDamagedException">The copy arrived damaged or ends too early.</exception>
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
                // One payload is read while the one before is verified and written.
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
                if (frame.Kind != CopyFrameKind.End)
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
