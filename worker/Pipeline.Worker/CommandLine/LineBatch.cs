namespace Pipeline.Worker.CommandLine;

/// <summary>A subscription's batch as JSON lines.</summary>
/// <param name="Lines">The lines; good until the next batch is read.</param>
/// <param name="Count">How many changes they are.</param>
/// <param name="AcknowledgeAsync">Acknowledges the batch; durable when it completes.</param>
internal sealed record LineBatch(ReadOnlyMemory<byte> Lines, int Count, Func<CancellationToken, Task> AcknowledgeAsync)
{
    /// <summary>The line that begins or ends a resync.</summary>
    public static ReadOnlySpan<byte> ResyncLine(bool begins) =>
        begins ? "{\"@resync\":\"begin\"}\n"u8 : "{\"@resync\":\"end\"}\n"u8;
}
