using System.Globalization;

namespace Pipeline.Worker.Snmp;

/// <summary>Objects of the MIB that belong together: scalars, or the columns of a table.</summary>
/// <param name="number">Its number below the MIB's objects.</param>
/// <param name="name">Its name, with which the names of its objects begin.</param>
/// <param name="isTable">Whether it is a table, whose rows are numbered from 1.</param>
internal abstract class SnmpGroup(uint number, string name, bool isTable)
{
    /// <summary>The column of a table's row number, which is part of identifiers and no value itself.</summary>
    public const uint IndexColumn = 1;

    /// <summary>Its number below the MIB's objects.</summary>
    public uint Number { get; } = number;

    /// <summary>Its name, with which the names of its objects begin.</summary>
    public string Name { get; } = name;

    /// <summary>Whether it is a table.</summary>
    public bool IsTable { get; } = isTable;

    /// <summary>The objects, without the column of a table's row number.</summary>
    public abstract IEnumerable<SnmpObject> Objects { get; }

    /// <summary>The values of its objects.</summary>
    /// <param name="objects">The identifier of the MIB's objects.</param>
    /// <param name="figures">What the values are read from.</param>
    public abstract IEnumerable<SnmpValue> Read(ObjectId objects, WorkerFigures figures);
}

/// <summary>A group whose values are read from rows of one type. An object without a value in a row is missing.</summary>
/// <typeparam name="TRow">The type of a row; scalars have one row or none.</typeparam>
/// <param name="number">Its number below the MIB's objects.</param>
/// <param name="name">Its name, with which the names of its objects begin.</param>
/// <param name="isTable">Whether it is a table.</param>
/// <param name="rows">The rows, in the order of their numbers.</param>
internal sealed class SnmpGroup<TRow>(
    uint number,
    string name,
    bool isTable,
    Func<WorkerFigures, IEnumerable<TRow>> rows
) : SnmpGroup(number, name, isTable)
{
    private readonly List<(SnmpObject Object, Func<TRow, string?> Read)> _objects = [];

    /// <inheritdoc/>
    public override IEnumerable<SnmpObject> Objects => _objects.Select(o => o.Object);

    /// <summary>Adds a text.</summary>
    public SnmpGroup<TRow> Text(uint number, string name, Func<TRow, string?> read) =>
        Add(number, name, SnmpSyntax.Text, row => read(row) is { } text ? SnmpText.OfText(text) : null);

    /// <summary>Adds a number that may go up and down.</summary>
    public SnmpGroup<TRow> Gauge(uint number, string name, Func<TRow, double?> read) =>
        Add(number, name, SnmpSyntax.Gauge, row => read(row) is { } value ? SnmpText.OfGauge(value) : null);

    /// <summary>Adds a total.</summary>
    public SnmpGroup<TRow> Counter(uint number, string name, Func<TRow, long?> read) =>
        Add(number, name, SnmpSyntax.Counter, row => read(row) is { } value ? SnmpText.OfCounter(value) : null);

    /// <summary>Adds a duration.</summary>
    public SnmpGroup<TRow> Ticks(uint number, string name, Func<TRow, TimeSpan?> read) =>
        Add(number, name, SnmpSyntax.Ticks, row => read(row) is { } value ? SnmpText.OfTicks(value) : null);

    /// <summary>Adds a truth.</summary>
    public SnmpGroup<TRow> Truth(uint number, string name, Func<TRow, bool?> read) =>
        Add(
            number,
            name,
            SnmpSyntax.Truth,
            row =>
                read(row) switch
                {
                    true => "1",
                    false => "2",
                    null => null,
                }
        );

    /// <summary>Adds one of several words. A word that is not listed is a missing value.</summary>
    public SnmpGroup<TRow> Word(uint number, string name, string[] words, Func<TRow, string?> read) =>
        Add(
            number,
            name,
            SnmpSyntax.Word,
            row =>
                Array.IndexOf(words, read(row)) is >= 0 and var place
                    ? (place + 1).ToString(CultureInfo.InvariantCulture)
                    : null,
            words
        );

    /// <inheritdoc/>
    public override IEnumerable<SnmpValue> Read(ObjectId objects, WorkerFigures figures)
    {
        var group = objects.Below(Number);
        var index = 0u;
        foreach (var row in rows(figures))
        {
            index++;
            foreach (var (one, read) in _objects)
            {
                if (read(row) is not { } text)
                    continue;
                var id = IsTable ? group.Below(1, one.Number, index) : group.Below(one.Number, 0);
                yield return new SnmpValue(id, TypeOf(one.Syntax), text);
            }
        }
    }

    private static string TypeOf(SnmpSyntax syntax) =>
        syntax switch
        {
            SnmpSyntax.Text => "string",
            SnmpSyntax.Gauge => "gauge",
            SnmpSyntax.Counter => "counter64",
            SnmpSyntax.Ticks => "timeticks",
            _ => "integer",
        };

    private SnmpGroup<TRow> Add(
        uint number,
        string name,
        SnmpSyntax syntax,
        Func<TRow, string?> read,
        string[]? words = null
    )
    {
        _objects.Add((new SnmpObject(number, Name + name, syntax, words ?? []), read));
        return this;
    }
}
