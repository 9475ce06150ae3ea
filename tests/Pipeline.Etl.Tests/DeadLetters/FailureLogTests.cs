using Microsoft.Extensions.Logging;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.DeadLetters;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.DeadLetters;

/// <summary>The number of log messages for many failures.</summary>
public sealed class FailureLogTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly CapturedLines _lines = new();
    private readonly FailureLog _log;

    public FailureLogTests() => _log = new FailureLog(_lines, new EtlTaskConfiguration { Name = "t" }, _time);

    public void Dispose() => _lines.Dispose();

    [Fact]
    public void The_rest_is_summed_up_by_error_every_ten_seconds_by_the_clock()
    {
        Add(5, FailureClass.Script);
        Assert.Equal(5, _lines.Messages.Count);
        Add(40, FailureClass.Permanent);
        Add(60, FailureClass.Oversize);
        Assert.Equal(5, _lines.Messages.Count);
        _time.Advance(TimeSpan.FromSeconds(9));
        Add(1, FailureClass.Permanent);
        Assert.Equal(5, _lines.Messages.Count);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(
            "ETL task t: 101 more changes became dead letters: 60 × oversize (such as d: no); 41 × permanent (such as d: no)",
            _lines.Messages.ElementAt(5).Text
        );
        Add(3, FailureClass.Script);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(
            "ETL task t: 3 more changes became dead letters: 3 × script (such as d: no)",
            _lines.Messages.ElementAt(6).Text
        );
    }

    [Fact]
    public void After_ten_quiet_seconds_failures_are_logged_one_by_one_again()
    {
        Add(5, FailureClass.Script);
        _time.Advance(TimeSpan.FromSeconds(10));
        Add(2, FailureClass.Script);
        Assert.Equal(7, _lines.Messages.Count);
        _log.Flush();
        Assert.Equal(7, _lines.Messages.Count);
    }

    [Fact]
    public void Outcomes_are_told_apart_and_many_kinds_are_put_together()
    {
        Add(5, FailureClass.Script);
        for (var i = 0; i < 30; i++)
            _log.Add(FailureOutcome.FailedAgain, "d", FailureClass.Script, "no", Named(i));
        _log.Add(FailureOutcome.LeftOut, "d", FailureClass.Held, "waits");
        _log.Flush();
        Assert.Contains(
            "30 more dead letters failed again: ",
            _lines.Messages.ElementAt(5).Text,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "1 × other errors (such as d: waits)",
            _lines.Messages.ElementAt(6).Text,
            StringComparison.Ordinal
        );
        Assert.Equal(7, _lines.Messages.Count);
    }

    private static Exception Named(int i) =>
        i switch
        {
            0 => new ArgumentException(),
            1 => new FormatException(),
            2 => new KeyNotFoundException(),
            3 => new TimeoutException(),
            4 => new OverflowException(),
            5 => new DivideByZeroException(),
            6 => new IndexOutOfRangeException(),
            7 => new NotSupportedException(),
            8 => new NotImplementedException(),
            9 => new InvalidCastException(),
            10 => new NullReferenceException(),
            11 => new ArithmeticException(),
            12 => new RankException(),
            13 => new IOException(),
            14 => new EndOfStreamException(),
            15 => new FileNotFoundException(),
            16 => new UriFormatException(),
            17 => new ArgumentNullException(),
            18 => new ArgumentOutOfRangeException(),
            19 => new ApplicationException(),
            20 => new AggregateException(),
            _ => new InvalidOperationException(),
        };

    private void Add(int count, FailureClass failure)
    {
        for (var i = 0; i < count; i++)
            _log.Add(FailureOutcome.Parked, "d", failure, "no");
    }
}
