using Quartz;

namespace Pipeline.Backups;

/// <summary>
/// When a job is due: Quartz reads the cron expression, in a time zone. A time that the clock passes over in spring is due at the first moment after the gap; one that comes
/// twice in autumn is due the first time only. Jitter and blackouts come on top. Not thread-safe.
/// </summary>
public sealed class ScheduleClock
{
    private readonly CronExpression _cron;
    private readonly BackupSchedule _schedule;
    private readonly Random _random;

    /// <summary>Reads an expression.</summary>
    /// <param name="cron">The expression.</param>
    /// <param name="schedule">Zone, jitter, blackouts.</param>
    /// <param name="seed">Of the jitter's chance.</param>
    /// <exception cref="FormatException">It is none.</exception>
    public ScheduleClock(string cron, BackupSchedule schedule, int seed)
    {
        ArgumentNullException.ThrowIfNull(schedule);
        _schedule = schedule;
        _random = new Random(seed);
        // In a zone without changes, so that each named local time comes once; which moments these are is told below.
        _cron = CronExpression.Parse(cron).WithTimeZone(TimeZoneInfo.Utc);
    }

    /// <summary>The next moment that the expression names, after another; null where there is none.</summary>
    public DateTimeOffset? Next(DateTimeOffset after)
    {
        var zone = _schedule.TimeZone;
        // From a day before: around a change of the clock local times do not go up with moments.
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

    /// <summary>When a run that is due begins: with jitter, and not within a blackout.</summary>
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
            // The gap ends where times are valid again; transitions lie on whole minutes.
            var first = new DateTime(local.Ticks - (local.Ticks % TimeSpan.TicksPerMinute), DateTimeKind.Unspecified);
            while (zone.IsInvalidTime(first))
                first = first.AddMinutes(1);
            local = first;
        }
        var offset = zone.IsAmbiguousTime(local) ? zone.GetAmbiguousTimeOffsets(local).Max() : zone.GetUtcOffset(local);
        return new DateTimeOffset(local, offset).ToUniversalTime();
    }
}
