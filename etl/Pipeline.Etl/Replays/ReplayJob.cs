using System.Buffers.Binary;
using System.Text.Json;
using Pipeline.Etl.Records;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Replays;

/// <summary>A replay, which the database stores until it is done. After a crash it resumes where its last confirmed
/// batch ended. Immutable except for its progress.</summary>
/// <param name="After">The position that it began after.</param>
/// <param name="Through">The last position; the task's live tail sends later changes.</param>
/// <param name="Positions">The chosen changes, ascending; <see langword="null"/> for all changes in the range.</param>
internal sealed record ReplayJob(long After, long Through, long[]? Positions)
{
    /// <summary>
    /// The maximum number of documents that a query may choose, since their positions are kept in memory.
    /// </summary>
    public const int MaxChosen = 1_000_000;

    /// <summary>
    /// Distinguishes it from other replays of the task, so that it does not use the progress of an earlier one.
    /// </summary>
    public long Id { get; init; }

    /// <summary>Whether the task started it because it had exceeded its maximum lag.</summary>
    public bool IsResync { get; init; }

    /// <summary>The public view of the replay.</summary>
    public ReplayStatus ToStatus() => new(After, At, Through, Positions?.Length) { IsResync = IsResync };

    /// <summary>Everything up to this position is prepared.</summary>
    public long At { get; set; } = After;

    /// <summary>The key of the stored job.</summary>
    public static string KeyOf(string task) => EtlTaskKeys.Replay(task);

    /// <summary>The key of the stored progress.</summary>
    public static string ProgressKeyOf(string task) => EtlTaskKeys.ReplayProgress(task);

    /// <summary>The job of a task, or <see langword="null"/> if there is none.</summary>
    public static ReplayJob? Read(IFeedSnapshot snapshot, string task)
    {
        if (snapshot.GetState(KeyOf(task)) is not { } bytes)
            return null;
        using var document = JsonDocument.Parse(bytes);
        var root = document.RootElement;
        var positions = root.TryGetProperty("positions", out var packed) ? Unpack(packed.GetBytesFromBase64()) : null;
        var job = new ReplayJob(root.GetProperty("after").GetInt64(), root.GetProperty("through").GetInt64(), positions)
        {
            Id = root.GetProperty("id").GetInt64(),
            IsResync = root.TryGetProperty("resync", out var resync) && resync.GetBoolean(),
        };
        if (
            snapshot.GetState(ProgressKeyOf(task)) is { Length: 2 * sizeof(long) } at
            && BinaryPrimitives.ReadInt64LittleEndian(at) == job.Id
        )
        {
            job.At = Math.Max(job.At, BinaryPrimitives.ReadInt64LittleEndian(at.AsSpan(sizeof(long))));
        }

        return job;
    }

    /// <summary>The stored form of the job.</summary>
    public byte[] ToBytes() =>
        Positions is null
            ? JsonSerializer.SerializeToUtf8Bytes(
                new
                {
                    version = 1,
                    id = Id,
                    after = After,
                    through = Through,
                    resync = IsResync,
                }
            )
            : JsonSerializer.SerializeToUtf8Bytes(
                new
                {
                    version = 1,
                    id = Id,
                    after = After,
                    through = Through,
                    positions = Pack(Positions),
                }
            );

    /// <summary>The state to store once everything up to a position is confirmed.</summary>
    public FeedEffects Progress(string task, long at)
    {
        var bytes = new byte[2 * sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, Id);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(sizeof(long)), at);
        return new FeedEffects { States = [new(ProgressKeyOf(task), bytes)] };
    }

    /// <summary>The state to store once it is done or abandoned.</summary>
    public static FeedEffects End(string task) =>
        new() { States = [new(KeyOf(task), default), new(ProgressKeyOf(task), default)] };

    private static byte[] Pack(long[] positions)
    {
        var bytes = new List<byte>(positions.Length * 2);
        long last = 0;
        foreach (var position in positions)
        {
            var step = (ulong)(position - last);
            for (; step >= 0x80; step >>= 7)
                bytes.Add((byte)(step | 0x80));
            bytes.Add((byte)step);
            last = position;
        }

        return [.. bytes];
    }

    private static long[] Unpack(byte[] bytes)
    {
        var positions = new List<long>();
        (long last, ulong step, var shift) = (0, 0, 0);
        foreach (var one in bytes)
        {
            step |= (ulong)(one & 0x7F) << shift;
            shift += 7;
            if (one >= 0x80)
                continue;
            positions.Add(last += (long)step);
            (step, shift) = (0, 0);
        }

        return [.. positions];
    }
}
