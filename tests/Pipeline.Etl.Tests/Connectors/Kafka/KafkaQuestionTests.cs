using Confluent.Kafka;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Connectors.Kafka;

/// <summary>Requests of an administrator to a controller that may be dead.</summary>
public sealed class KafkaQuestionTests
{
    private static readonly TimeSpan Within = TimeSpan.FromSeconds(10);
    private readonly ManualTimeProvider _time = new();
    private readonly List<TimeSpan> _asked = [];
    private int _metadata;

    [Fact]
    public async Task A_dead_controller_s_successor_is_asked_once_metadata_name_it()
    {
        Assert.Equal("answer", await AskAsync(() => _metadata < 2 ? ErrorCode.Local_TimedOut : ErrorCode.NoError));
        Assert.Equal((3, 2), (_asked.Count, _metadata));
        Assert.All(_asked, a => Assert.Equal(KafkaQuestion.Slice, a));
    }

    [Fact]
    public async Task A_refusal_is_not_asked_again()
    {
        var e = await Assert.ThrowsAsync<KafkaException>(() => AskAsync(() => ErrorCode.TopicAuthorizationFailed));
        Assert.Equal((ErrorCode.TopicAuthorizationFailed, 1), (e.Error.Code, _asked.Count));
    }

    [Fact]
    public async Task Silence_ends_with_the_time_that_was_given()
    {
        var e = await Assert.ThrowsAsync<KafkaException>(() => AskAsync(() => ErrorCode.Local_TimedOut));
        Assert.Equal((ErrorCode.Local_TimedOut, 5), (e.Error.Code, _asked.Count));
    }

    [Fact]
    public async Task A_stop_does_not_wait_for_an_answer()
    {
        using var stop = new CancellationTokenSource();
        var never = new TaskCompletionSource<string>();
        var asking = KafkaQuestion.AskAsync(_ => never.Task, () => Task.CompletedTask, Within, _time, stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asking);
    }

    [Theory]
    [InlineData(ErrorCode.Local_Transport)]
    [InlineData(ErrorCode.Local_TimedOut)]
    public void A_broker_that_is_slow_to_connect_is_waited_for(ErrorCode meanwhile)
    {
        Assert.Equal("answer", AskForBrokers(() => _asked.Count < 4 ? meanwhile : ErrorCode.NoError));
        Assert.All(_asked, a => Assert.Equal(KafkaQuestion.Slice, a));
        var e = Assert.Throws<KafkaException>(() => AskForBrokers(() => meanwhile));
        Assert.Equal((meanwhile, 4 + 5), (e.Error.Code, _asked.Count));
    }

    [Fact]
    public void A_broker_that_refuses_is_not_waited_for()
    {
        Assert.Throws<KafkaException>(() => AskForBrokers(() => ErrorCode.Local_Transport, isRefused: true));
        Assert.Throws<KafkaException>(() => AskForBrokers(() => ErrorCode.ClusterAuthorizationFailed));
        Assert.Equal(2, _asked.Count);
    }

    private string AskForBrokers(Func<ErrorCode> answer, bool isRefused = false) =>
        KafkaQuestion.AskForBrokers(
            slice =>
            {
                _asked.Add(slice);
                _time.Advance(slice);
                var code = answer();
                return code == ErrorCode.NoError ? "answer" : throw new KafkaException(code);
            },
            () => isRefused,
            Within,
            _time,
            CancellationToken.None
        );

    private Task<string> AskAsync(Func<ErrorCode> answer) =>
        KafkaQuestion.AskAsync(
            slice =>
            {
                _asked.Add(slice);
                _time.Advance(slice);
                var code = answer();
                return code == ErrorCode.NoError
                    ? Task.FromResult("answer")
                    : Task.FromException<string>(new KafkaException(code));
            },
            () =>
            {
                _metadata++;
                return Task.CompletedTask;
            },
            Within,
            _time,
            default
        );
}
