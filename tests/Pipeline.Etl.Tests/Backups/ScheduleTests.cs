using System.Globalization;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Retention;
using Pipeline.EtlKit.Backups;
using Pipeline.TestKit.Time;
using TimeZoneConverter;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

public sealed class ScheduleTests
{
    private static readonly TimeZoneInfo Berlin = TZConvert.GetTimeZoneInfo("Europe/Berlin");

    private static string[] Times(string cron, string from, int count, BackupSchedule? schedule = null)
    {
        var clock = new ScheduleClock(cron, schedule ?? new BackupSchedule { TimeZone = Berlin }, 1);
        var at = DateTimeOffset.Parse(from, CultureInfo.InvariantCulture);
        var times = new List<string>();
        while (times.Count < count && clock.Next(at) is { } next)
            times.Add((at = next).ToString("MM-dd HH:mm", CultureInfo.InvariantCulture));
        return [.. times];
    }

    [Fact]
    public void A_time_that_the_clock_passes_over_is_due_at_the_end_of_the_gap() =>
        // 02:30 in Berlin does not exist on 29 March 2026; the clock goes from 02:00 to 03:00 at 01:00 UTC.
        Assert.Equal(["03-28 01:30", "03-29 01:00", "03-30 00:30"], Times("0 30 2 * * ?", "2026-03-27T12:00:00Z", 3));

    [Fact]
    public void A_time_that_comes_twice_is_due_the_first_time_only() =>
        // 02:30 comes twice on 25 October 2026: 00:30 and 01:30 UTC.
        Assert.Equal(["10-24 00:30", "10-25 00:30", "10-26 01:30"], Times("0 30 2 * * ?", "2026-10-23T12:00:00Z", 3));

    [Fact]
    public void An_hourly_run_is_not_lost_in_spring_and_moments_only_go_up_in_autumn()
    {
        Assert.Equal(
            ["03-28 23:00", "03-29 00:00", "03-29 01:00", "03-29 02:00"],
            Times("0 0 * * * ?", "2026-03-28T22:30:00Z", 4)
        );
        Assert.Equal(
            ["10-24 23:00", "10-25 00:00", "10-25 02:00", "10-25 03:00"],
            Times("0 0 * * * ?", "2026-10-24T22:30:00Z", 4)
        );
    }

    [Fact]
    public void What_would_begin_within_a_blackout_begins_at_its_end()
    {
        var schedule = new BackupSchedule
        {
            TimeZone = Berlin,
            Blackouts =
            [
                new BlackoutWindow(new TimeOnly(22, 0), new TimeOnly(6, 0)),
                new BlackoutWindow(new TimeOnly(6, 0), new TimeOnly(7, 0)),
            ],
        };
        var clock = new ScheduleClock("0 0 * * * ?", schedule, 1);
        Assert.Equal(
            DateTimeOffset.Parse("2026-01-10T06:00:00Z", CultureInfo.InvariantCulture),
            clock.Begin(DateTimeOffset.Parse("2026-01-09T22:30:00Z", CultureInfo.InvariantCulture))
        );
        Assert.Equal(
            DateTimeOffset.Parse("2026-01-09T12:00:00Z", CultureInfo.InvariantCulture),
            clock.Begin(DateTimeOffset.Parse("2026-01-09T12:00:00Z", CultureInfo.InvariantCulture))
        );
    }

    [Fact]
    public void Jitter_is_of_a_seed_and_within_its_bound()
    {
        var schedule = new BackupSchedule { Jitter = TimeSpan.FromMinutes(5) };
        var due = DateTimeOffset.UnixEpoch;
        var begins = Enumerable
            .Range(0, 50)
            .Select(_ => new ScheduleClock("0 0 * * * ?", schedule, 3))
            .Select(c => c.Begin(due))
            .Distinct()
            .ToList();
        Assert.Single(begins);
        Assert.InRange(begins[0], due, due + schedule.Jitter);
        Assert.NotEqual(begins[0], new ScheduleClock("0 0 * * * ?", schedule, 4).Begin(due));
    }

    [Theory]
    [InlineData("0 0 3 * * ?", null)]
    [InlineData("0 0 3 * *", "")]
    [InlineData("nightly", "")]
    public void Expressions_are_checked(string text, string? problem) =>
        Assert.Equal(problem is null, CronText.Problem(text) is null);

    [Theory]
    [InlineData("0 0 3 * *", "it has 5 fields instead of 6 or 7")]
    [InlineData("nightly", "it has 1 field instead of 6 or 7")]
    [InlineData("0 0 3 * * ? 2030 x", "it has 8 fields instead of 6 or 7")]
    [InlineData(
        "0 61 3 * * ?",
        "'61' is not a value for minutes, which takes 0 to 59, and lists, ranges and steps of them"
    )]
    [InlineData(
        "0 0 x * * ?",
        "'x' is not a value for hours, which takes 0 to 23, and lists, ranges and steps of them"
    )]
    [InlineData(
        "0 0 3 32 * ?",
        "'32' is not a value for day of month, which takes 1 to 31, L, LW, 15W or ?, and lists, ranges and steps of them"
    )]
    [InlineData(
        "0 0 3 ? * FUNDAY",
        "'FUNDAY' is not a value for day of week, which takes 1 to 7 or SUN to SAT (1 is Sunday), 6L, 6#3 or ?, and lists, ranges and steps of them"
    )]
    [InlineData("0 0 3 30 2 ?", "no date matches it")]
    public void What_is_wrong_is_said_by_field(string text, string problem) =>
        Assert.Equal(problem, CronText.Problem(text));

    [Fact]
    public void Retention_keeps_by_count_day_week_month_and_year_and_never_breaks_a_chain()
    {
        var backups = new List<BackupManifest>();
        for (
            var day = new DateTimeOffset(2024, 12, 1, 3, 0, 0, TimeSpan.Zero);
            day < new DateTimeOffset(2026, 3, 10, 0, 0, 0, TimeSpan.Zero);
            day = day.AddDays(1)
        )
        {
            var full = Manifest($"f{day:yyyyMMdd}", BackupKind.Full, null, day, backups.Count);
            backups.Add(full);
            backups.Add(Manifest($"i{day:yyyyMMdd}", BackupKind.Incremental, full.Id, day.AddHours(5), backups.Count));
        }
        var plan = RetentionPlan.Create(
            backups,
            new RetentionPolicy
            {
                Keep = 2,
                Daily = 3,
                Weekly = 2,
                Monthly = 3,
                Yearly = 3,
            },
            new DateTimeOffset(2026, 3, 9, 12, 0, 0, TimeSpan.Zero),
            TimeZoneInfo.Utc
        );
        var stays = plan
            .Backups.Where(b => b.Reason is not null && b.Backup.Kind == BackupKind.Full)
            .Select(b => b.Backup.Id)
            .ToList();
        Assert.Equal(
            ["f20241231", "f20251231", "f20260131", "f20260228", "f20260307", "f20260308", "f20260309"],
            stays
        );
        Assert.All(
            plan.Backups,
            b => Assert.Equal(b.Reason, plan.Backups.First(o => o.Backup.Id == "f" + b.Backup.Id[1..]).Reason)
        );
        var earlier = RetentionPlan.Create(
            backups,
            new RetentionPolicy { Keep = 1 },
            new DateTimeOffset(2025, 1, 2, 12, 0, 0, TimeSpan.Zero),
            TimeZoneInfo.Utc
        );
        Assert.Equal(
            ["f20250102", "i20250102"],
            earlier.Backups.Where(b => b.Reason is not null).Select(b => b.Backup.Id)
        );
        Assert.Equal(33 * 2, earlier.Backups.Count);
    }

    [Fact]
    public async Task The_service_runs_what_is_due_makes_up_for_what_was_missed_and_notes_it()
    {
        var time = new ManualTimeProvider(); // 2 January 2026, 03:04:05
        await using var fixture = new BackupFixture();
        fixture.Options = fixture.Options with { Time = time };
        fixture.Definition = fixture.Definition with { Schedule = new BackupSchedule { Full = "0 0 3 * * ?" } };
        await fixture.PutAsync("things/1", "a");
        async Task RunOneAsync(TimeSpan? advance)
        {
            await using var service = new BackupService(fixture.Database, [fixture.Definition], fixture.Options);
            var count = service.GetHistory().Count;
            service.Start();
            if (advance is { } by)
            {
                await time.NextTimerAsync();
                time.Advance(by);
            }
            while (service.GetHistory().Count == count)
                await Task.Delay(5);
            while (service.GetStatus()[0].Running is not null)
                await Task.Yield();
        }

        await RunOneAsync(TimeSpan.FromHours(24));
        time.Advance(TimeSpan.FromDays(3.5)); // Nobody ran meanwhile: one run for all that was missed.
        await RunOneAsync(null);
        await using var last = new BackupService(fixture.Database, [fixture.Definition], fixture.Options);
        var history = last.GetHistory();
        Assert.Equal([3, 6], history.Select(r => r.Scheduled!.Value.Day));
        Assert.All(history, r => Assert.True(r.Ok && r.Job == BackupJob.Full));
        Assert.Equal(history[^1].Ended, last.GetStatus()[0].LastBackup);
        await Assert.ThrowsAsync<BackupException>(() => last.RunAsync("other"));
        var drill = Assert.Single(await last.DrillAsync("nightly"));
        Assert.Null(drill.Problem);
        Assert.Equal((1, 1), (drill.Documents, drill.Compared));
        Assert.NotNull(last.GetStatus()[0].LastVerified);
    }

    [Fact]
    public async Task Definitions_that_change_while_it_runs_are_due_by_their_new_schedule_and_others_are_left_alone()
    {
        var time = new ManualTimeProvider(); // 2 January 2026, 03:04:05
        await using var fixture = new BackupFixture();
        fixture.Options = fixture.Options with { Time = time };
        await fixture.PutAsync("things/1", "a");
        var nightly = fixture.Definition with { Schedule = new BackupSchedule { Full = "0 0 3 * * ?" } };
        var hourly = nightly with
        {
            Name = "hourly",
            Schedule = new BackupSchedule { Full = "0 0 * * * ?" },
        };
        await using var service = new BackupService(fixture.Database, [nightly], fixture.Options);
        service.Start();
        await time.NextTimerAsync();
        Assert.Contains(
            "there are: nightly",
            (await Assert.ThrowsAsync<BackupException>(() => service.RunAsync("hourly"))).Message,
            StringComparison.Ordinal
        );

        service.Apply([nightly, hourly], new HashSet<string> { "nightly" });
        await time.NextTimerAsync();
        Assert.Equal((3, 3), (service.GetStatus()[0].Next["full"].Day, service.GetStatus()[0].Next["full"].Hour));
        Assert.Equal((2, 4), (service.GetStatus()[1].Next["full"].Day, service.GetStatus()[1].Next["full"].Hour));
        time.Advance(TimeSpan.FromMinutes(56));
        while (service.GetHistory().Count == 0)
            await Task.Delay(5);
        Assert.Equal("hourly", service.GetHistory()[0].Name);
        Assert.Contains(fixture.Database.Storage.LogHolds, h => h.Name.Contains("hourly", StringComparison.Ordinal));

        // Those that are no more get no run, and hold no journal back.
        service.Apply(
            [nightly with { Schedule = new BackupSchedule { Full = "0 30 5 * * ?" } }],
            new HashSet<string>()
        );
        Assert.Equal("nightly", Assert.Single(service.GetStatus()).Name);
        Assert.DoesNotContain(
            fixture.Database.Storage.LogHolds,
            h => h.Name.Contains("hourly", StringComparison.Ordinal)
        );
        while (!service.GetStatus()[0].Next.TryGetValue("full", out var next) || next.Hour != 5)
            await Task.Yield();
        while (service.GetHistory().Count == 1)
        {
            time.Advance(TimeSpan.FromMinutes(5));
            await Task.Delay(5);
        }
        Assert.Equal(
            ("nightly", 5, 30),
            (
                service.GetHistory()[1].Name,
                service.GetHistory()[1].Scheduled!.Value.Hour,
                service.GetHistory()[1].Scheduled!.Value.Minute
            )
        );
    }

    private static BackupManifest Manifest(
        string id,
        BackupKind kind,
        string? parent,
        DateTimeOffset ended,
        long transaction
    ) =>
        new()
        {
            Id = id,
            Kind = kind,
            Parent = parent,
            Database = "shop",
            DatabaseId = "x",
            Store = Guid.Empty,
            From = new BackupPoint(transaction, 0, 0, ended),
            To = new BackupPoint(transaction, 0, 0, ended),
            FromState = [],
            ToState = [],
            ContentBytes = 0,
            StoredBytes = 0,
            SentBytes = 0,
            Documents = new Dictionary<string, long>(),
            Started = ended,
            Ended = ended,
            Program = "test",
        };
}
