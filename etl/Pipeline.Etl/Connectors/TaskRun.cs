using System.Globalization;
using Pipeline.Documents;

namespace Pipeline.Etl.Connectors;

/// <summary>
/// One run of a task. Gives the ids for the target's records and judges the records that are found there. Not
/// thread-safe.
/// </summary>
public sealed class TaskRun
{
    private readonly DatabaseLineages _lineages;
    private readonly Func<long> _lastPosition;
    private readonly Func<long, DateTimeOffset?> _timeOf;

    /// <summary>Makes a run.</summary>
    /// <param name="lineages">The database's lineages.</param>
    /// <param name="lastPosition">Gives the database's last position.</param>
    /// <param name="timeOf">
    /// Gives the time of the database's change at a position, or <see langword="null"/> if that change no longer
    /// exists.
    /// </param>
    /// <param name="standing">The database's record of the task's runs.</param>
    internal TaskRun(
        DatabaseLineages lineages,
        Func<long> lastPosition,
        Func<long, DateTimeOffset?> timeOf,
        TaskStanding standing
    )
    {
        _timeOf = timeOf;
        _lineages = lineages;
        _lastPosition = lastPosition;
        Standing = standing;
    }

    /// <summary>
    /// A run of a database with one lineage and no record of runs. It accepts every record of that lineage.
    /// </summary>
    public static TaskRun Unknown { get; } =
        new(
            DatabaseLineages.Initial,
            () => long.MaxValue,
            _ => null,
            TaskStanding.Begin(DatabaseLineages.Initial, 0, long.MaxValue)
        );

    /// <summary>The unique id of this run; empty if no record of runs is kept.</summary>
    public string Id => Standing.Runs is [.., var last] ? last : "";

    /// <summary>The id of the database's lineage, empty for the first.</summary>
    public string Lineage => _lineages.Current.Id;

    /// <summary>The database's record of the task's runs. Changes when a decision has been applied.</summary>
    internal TaskStanding Standing { get; private set; }

    internal DatabaseLineages Lineages => _lineages;

    /// <summary>The id of the lineage of the change at a position, empty for the first.</summary>
    public string LineageOf(long position) => _lineages.At(position).Id;

    /// <summary>Judges the record that a target keeps of the task.</summary>
    /// <param name="mark">The target's record, or <see langword="null"/> if it has none.</param>
    /// <returns>
    /// The position up to which the target holds this database's changes; 0 if a person decided to resume regardless of
    /// the record.
    /// </returns>
    /// <exception cref="TargetConflictException">
    /// The record is not of this database's history. A person decides.
    /// </exception>
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
            if (mark.Change is { } change && _timeOf(change) is { } time)
                CheckTime(mark, change, time);
            Standing = Standing with { Accepts = false };
            return mark.Position;
        }

        if (Standing.Accepts)
            Standing = Standing with { Accepts = false, Accepted = mark };
        if (mark == Standing.Accepted)
            return 0;
        throw new TargetConflictException(
            mark,
            Lineage.Length == 0
                ? "and this database is still in its first lineage: a copy of it has written there"
                : $"and this database is in lineage {Lineage}",
            isOfLineage: false
        );
    }

    /// <summary>Judges the record of a change that is about to be skipped because the target already has it.</summary>
    /// <param name="mark">The record, with the lineage of its change.</param>
    /// <param name="message">The message of the change.</param>
    /// <exception cref="TargetConflictException">
    /// Something other than this task wrote it, or it is of another change.
    /// </exception>
    public void JudgeRepeat(TargetMark mark, OutgoingMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);

        // A change that is older than the current lineage is the same in every lineage of the database.
        if (mark.Position < _lineages.Current.First)
            return;
        CheckRun(mark);

        // If the transform sets the id, several changes may share it.
        if (mark.Position == message.Position)
            CheckTime(mark, mark.Position, message.Time);
    }

    private static void CheckTime(TargetMark mark, long change, DateTimeOffset time)
    {
        if (mark.Time is { } known && known != time)
        {
            throw new TargetConflictException(
                mark,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"but its change {change} was written at {known:O}, and this database's at {time:O}: the database went back in time"
                ),
                isOfLineage: true
            );
        }
    }

    private void CheckRun(TargetMark mark)
    {
        var last = _lastPosition();
        if (mark.Position > last)
        {
            throw new TargetConflictException(
                mark,
                string.Create(CultureInfo.InvariantCulture, $"the database only {last}: it went back in time"),
                isOfLineage: true
            );
        }

        if (mark.Run is not null && mark.Position > Standing.After && !Standing.Runs.Contains(mark.Run))
        {
            throw new TargetConflictException(
                mark,
                "which none of this task's runs wrote: another copy of the database has, or this one went back in time",
                isOfLineage: true
            );
        }
    }
}
