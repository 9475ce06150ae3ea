using Quartz;

namespace Pipeline.Backups;

/// <summary>
/// When a job is due: Quartz reads the cron expression, in a time zone. A local time skipped in spring is due at the
/// first moment after the gap; one that occurs twice in autumn is due only the first time. Jitter and blackouts are
/// added. Not thread-safe.
/// </summary>
public sealed class ScheduleClock
{
    private readonly CronExpression _cron;
    private readonly BackupSchedule _schedule;
    private readonly Random _random;

    /// <summary>Parses an expression.</summary>
    /// <param name="cron">The expression.</param>
    /// <param name="schedule">Time zone, jitter, blackouts.</param>
    /// <param name="seed">The seed of the random jitter.</param>
    /// <exception cref="FormatException">The expression is invalid.</exception>
    public ScheduleClock(string cron, BackupSchedule schedule, int seed)
    {
        ArgumentNullException.ThrowIfNull(schedule);
        _schedule = schedule;
        _random = new Random(seed);
        // A zone without clock changes, so that each local time occurs once; the code below maps it to a moment.
        _cron = CronExpression.Parse(cron).WithTimeZone(TimeZoneInfo.Utc);
    }

    /// <summary>The next due moment after another; null if there is none.</summary>
    public DateTimeOffset? Next(DateTimeOffset after)
    {
        var zone = _schedule.TimeZone;
        // Starts a day earlier: around a clock change, local times do not ascend with moments.
        var local = new DateTimeOffset(TimeZoneInfo.ConvertTime(after, zone).DateTime.AddHours(-25), TimeSpan.Zero);
        while (_cron.GetNextValidTimeAfter(local) is { } named)
        {
            local = named;
            var moment = Moment(named.DateTime, zone);
            if (moment > after)
                return moment;
        }
        return null;
    }

    /// <summary>When a due run starts: after the jitter, and outside blackouts.</summary>
    public DateTimeOffset Begin(DateTimeOffset due)
    {
        var begin = due + TimeSpan.FromTicks((long)(_schedule.Jitter.Ticks * _random.NextDouble()));
        for (var i = 0; i <= _schedule.Blackouts.Count; i++)
        {
            var local = TimeZoneInfo.ConvertTime(begin, _schedule.TimeZone).DateTime;
            if (_schedule.Blackouts.FirstOrDefault(b => b.Contains(TimeOnly.FromDateTime(local))) is not { } blackout)
                break;
            var day = DateOnly.FromDateTime(local);
            var end = day.ToDateTime(blackout.End);
            begin = Moment(end > local ? end : end.AddDays(1), _schedule.TimeZone);
        }
        return begin;
    }

    private static DateTimeOffset Moment(DateTime local, TimeZoneInfo zone)
    {
        local = DateTime.SpecifyKind(local, DateTimeKind.Unspecified);
        if (zone.IsInvalidTime(local))
        {
            // The gap ends where times are valid again; clock changes fall on whole minutes.
            var first = new DateTime(local.Ticks - (local.Ticks % TimeSpan.TicksPerMinute), DateTimeKind.Unspecified);
            while (zone.IsInvalidTime(first))
                first = first.AddMinutes(1);
            local = first;
        }
        var offset = zone.IsAmbiguousTime(local) ? zone.GetAmbiguousTimeOffsets(local).Max() : zone.GetUtcOffset(local);
        return new DateTimeOffset(local, offset).ToUniversalTime();
    }
}
