using System.Diagnostics.Metrics;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>The gauges that all hosts of a process share.</summary>
public sealed class HostMetricsTests
{
    [Fact]
    public async Task A_closed_database_does_not_end_the_figures_of_others()
    {
        await using var f = new RunnerFixture();
        await f.PutAsync("things/1", 1);
        await using var open = f.NewHost(RunnerFixture.Task("open"));
        await using var other = new RunnerFixture();
        await other.PutAsync("things/1", 1);
        await using var closed = other.NewHost(RunnerFixture.Task("closed"));
        await other.Database.DisposeAsync();

        var lags = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, l) =>
            {
                if (instrument.Meter.Name == "Pipeline.Etl")
                    l.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>(
            (instrument, _, tags, _) =>
            {
                if (instrument.Name == "pipeline.etl.lag")
                    lags.Add((string)tags[0].Value!);
            }
        );
        listener.Start();
        listener.RecordObservableInstruments();

        Assert.Contains("open", lags);
    }
}
