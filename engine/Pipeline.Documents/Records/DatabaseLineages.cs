using System.Buffers;
using System.Text.Json;

namespace Pipeline.Documents;

/// <summary>The lineages of a database, the oldest first. Replicas of one database share them. Immutable.</summary>
public sealed class DatabaseLineages
{
    /// <summary>
    /// For ids that are numbered by their position: how far apart two lineages number. More than a database has
    /// positions.
    /// </summary>
    internal const long PositionMargin = 1_000_000_000_000;

    private const int Version = 1;
    private readonly DatabaseLineage[] _all;

    private DatabaseLineages(long life, DatabaseLineage[] all) => (Life, _all) = (life, all);

    /// <summary>Those of a database that was never restored or copied.</summary>
    public static DatabaseLineages Initial { get; } = new(0, [new DatabaseLineage("", 0, null, "")]);

    /// <summary>Their key in the tree <see cref="DatabaseTrees.Meta"/>.</summary>
    internal static ReadOnlySpan<byte> Key => "lineages"u8;

    /// <summary>The lineages, the oldest first; at least one.</summary>
    public IReadOnlyList<DatabaseLineage> All => _all;

    /// <summary>The lineage of the changes that come.</summary>
    public DatabaseLineage Current => _all[^1];

    /// <summary>Whether the database is still in its first lineage.</summary>
    public bool IsInitial => _all.Length == 1;

    /// <summary>How often a lineage began after the first.</summary>
    internal int Restarts => _all.Length - 1;

    /// <summary>The store's life that <see cref="Current"/> belongs to; 0 if unknown.</summary>
    internal long Life { get; }

    /// <summary>The lineage of the change at a position.</summary>
    public DatabaseLineage At(long position)
    {
        var i = _all.Length - 1;
        while (i > 0 && _all[i].First > position)
            i--;
        return _all[i];
    }

    /// <summary>Whether one who was at a position in a lineage saw only changes that this database has.</summary>
    /// <param name="lineage">The lineage's id.</param>
    /// <param name="position">The last position that was seen.</param>
    public bool Contains(string lineage, long position)
    {
        var i = Array.FindIndex(_all, l => l.Id == lineage);
        if (i < 0)
            return false;
        var next = Array.FindIndex(_all, i + 1, l => l.IsOfOpening);
        return next < 0 || position < _all[next].First;
    }

    internal DatabaseLineages OfLife(long life) => new(life, _all);

    internal DatabaseLineages With(DatabaseLineage next) =>
        new(Life, [.. _all, next with { First = Math.Max(next.First, Current.First) }]);

    internal byte[] ToBytes()
    {
        var buffer = new ArrayBufferWriter<byte>(256);
        using var json = new Utf8JsonWriter(buffer);
        json.WriteStartObject();
        json.WriteNumber("version", Version);
        json.WriteNumber("life", Life);
        json.WriteStartArray("lineages");
        foreach (var lineage in _all.AsSpan(1))
        {
            json.WriteStartObject();
            json.WriteString("id", lineage.Id);
            json.WriteNumber("first", lineage.First);
            if (lineage.Since is { } since)
                json.WriteString("since", since);
            json.WriteString("reason", lineage.Reason);
            json.WriteBoolean("opening", lineage.IsOfOpening);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    /// <exception cref="DatabaseCorruptException">The bytes are none, or a newer program's.</exception>
    internal static DatabaseLineages Parse(string database, byte[] bytes)
    {
        try
        {
            using var document = JsonDocument.Parse(bytes);
            var root = document.RootElement;
            if (root.GetProperty("version").GetInt32() != Version)
                throw new FormatException("a newer program wrote them");
            var all = new List<DatabaseLineage>(Initial._all);
            foreach (var one in root.GetProperty("lineages").EnumerateArray())
            {
                all.Add(
                    new DatabaseLineage(
                        one.GetProperty("id").GetString()!,
                        one.GetProperty("first").GetInt64(),
                        one.TryGetProperty("since", out var since) ? since.GetDateTimeOffset() : null,
                        one.GetProperty("reason").GetString()!
                    )
                    {
                        IsOfOpening = one.GetProperty("opening").GetBoolean(),
                    }
                );
            }

            return new DatabaseLineages(root.GetProperty("life").GetInt64(), [.. all]);
        }
        catch (Exception e)
            when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new DatabaseCorruptException(database, $"its lineages cannot be read: {e.Message}");
        }
    }
}

/// <summary>
/// A stretch of a database's history in which a position stands for one change. A restore, and each copy that is
/// opened, begins a new one.
/// </summary>
/// <param name="Id">16 hexadecimal digits that no other lineage has; empty for a database's first.</param>
/// <param name="First">The first position of the changes that belong to it.</param>
/// <param name="Since">When it began; <see langword="null"/> for the first.</param>
/// <param name="Reason">Why it began; empty for the first.</param>
public sealed record DatabaseLineage(string Id, long First, DateTimeOffset? Since, string Reason)
{
    /// <summary>
    /// Whether it began when the database was opened, as all before it was of another life; otherwise a task found that
    /// another life exists.
    /// </summary>
    public bool IsOfOpening { get; init; }
}
