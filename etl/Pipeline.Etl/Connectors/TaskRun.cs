using System.Globalization;
using Pipeline.Database;

namespace Pipeline.Etl.Connectors;

/// <summary>One run of a task: what it puts into its target's records, and how it judges the records that it finds there. Not thread-safe.</summary>
public sealed class TaskRun
{
    private readonly DatabaseLineages _lineages;
    private readonly Func<long> _lastPosition;

    /// <summary>Makes a run.</summary>
    /// <param name="lineages">The database's lineages.</param>
    /// <param name="lastPosition">Gives the database's last position.</param>
    /// <param name="standing">What the database keeps of the task's runs.</param>
    internal TaskRun(DatabaseLineages lineages, Func<long> lastPosition, TaskStanding standing)
    {
        _lineages = lineages;
        _lastPosition = lastPosition;
        Standing = standing;
    }

    /// <summary>A run of a database that has one lineage, of which nothing is kept: it judges nothing.</summary>
    public static TaskRun Unknown { get; } = new(DatabaseLineages.Initial, () => long.MaxValue, TaskStanding.Begin(DatabaseLineages.Initial, 0, long.MaxValue));

    /// <summary>What tells this run from every other; empty where none is kept.</summary>
    public string Id => Standing.Runs is [.., var last] ? last : "";

    /// <summary>The id of the database's lineage, empty for the first.</summary>
    public string Lineage => _lineages.Current.Id;

    /// <summary>What the database keeps; changes when a decision is used up.</summary>
    internal TaskStanding Standing { get; private set; }

    internal DatabaseLineages Lineages => _lineages;

    /// <summary>The id of the lineage of the change at a position, empty for the first.</summary>
    public string LineageOf(long position) => _lineages.At(position).Id;

    /// <summary>Judges what a target remembers of the task.</summary>
    /// <param name="mark">The target's record; <see langword="null"/> where it has none.</param>
    /// <returns>The position up to which the target holds this database's changes; 0 where a person decided to go on regardless of the record.</returns>
    /// <exception cref="TargetConflictException">The record is not of this database's history. A person decides.</exception>
    public long Judge(TargetMark? mark)
    {
        if (mark is null)
        {
            Standing = Standing with { Accepts = false };
            return 0;
        }

        if (mark.Lineage == Lineage)
        {
            CheckRun(mark);
            Standing = Standing with { Accepts = false };
            return mark.Position;
        }

        if (Standing.Accepts) Standing = Standing with { Accepts = false, Accepted = mark };
        if (mark == Standing.Accepted) return 0;
        throw new TargetConflictException(mark, Lineage.Length == 0 ? "and this database is still in its first lineage: a copy of it has written there" : $"and this database is in lineage {Lineage}", isOfLineage: false);
    }

    /// <summary>Judges a record of a change that is about to be left out, as the target has it already.</summary>
    /// <param name="mark">The record, with the lineage of its change.</param>
    /// <exception cref="TargetConflictException">Something other than this task wrote it.</exception>
    public void JudgeRepeat(TargetMark mark)
    {
        // What is older than the present lineage is the same change in every life of the database.
        if (mark.Position >= _lineages.Current.First) CheckRun(mark);
    }

    private void CheckRun(TargetMark mark)
    {
        long last = _lastPosition();
        if (mark.Position > last) throw new TargetConflictException(mark, string.Create(CultureInfo.InvariantCulture, $"the database only {last}: it went back in time"), isOfLineage: true);
        if (mark.Run is not null && mark.Position > Standing.After && !Standing.Runs.Contains(mark.Run))
            throw new TargetConflictException(mark, "which none of this task's runs wrote: another copy of the database has, or this one went back in time", isOfLineage: true);
    }
}
